"""docs/kubernetes.yaml: its fields, and what an Ingress, Services and probes make of it."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml
from starlette.responses import PlainTextResponse
from streamlit import config

from model.language_model import LanguageModel
from pages.frame.guard import Guard
from pages.frame.readers import Proxies
from pages.lessons.classroom import desk, phone, projector
from pages.lessons.classroom.state import open_class
from tests.driving.harness import ROOT
from tests.frame.asgi import ask

FILE = ROOT / "docs/kubernetes.yaml"
INGRESS_ADDRESS, READER = "10.42.0.9", "203.0.113.7"

# the fields of the Kubernetes API that are used, and of what type; "?" may be left out
NAMES = {"str": str}
TARGET = {"selector": NAMES, "ports": [{"name": str, "port": int, "targetPort": str}]}
HTTP_GET = {"path": str, "port": str, "httpHeaders": [{"name": str, "value": str}]}
PROBE = {
    "httpGet": HTTP_GET,
    **{"failureThreshold?": int, "periodSeconds?": int, "timeoutSeconds?": int},
}
VALUE_FROM = {
    "fieldRef?": {"fieldPath": str},
    "secretKeyRef?": {"name": str, "key": str, "optional?": bool},
}
CONTAINER = {
    **{"name": str, "image": str, "command": [str]},
    "ports": [{"name": str, "containerPort": int}],
    "env": [{"name": str, "value?": str, "valueFrom?": VALUE_FROM}],
    **{"startupProbe": PROBE, "readinessProbe": PROBE, "livenessProbe": PROBE},
}
BACKEND = {"service": {"name": str, "port": {"name": str}}}
KINDS: dict[str, Any] = {
    "StatefulSet": {
        **{"serviceName": str, "replicas": int, "podManagementPolicy": str},
        "selector": {"matchLabels": NAMES},
        "template": {"metadata": {"labels": NAMES}, "spec": {"containers": [CONTAINER]}},
    },
    "Service": TARGET,
    "Ingress": {
        "ingressClassName": str,
        "rules": [
            {"host": str, "http": {"paths": [{"path": str, "pathType": str, "backend": BACKEND}]}}
        ],
    },
}
VERSIONS = {"StatefulSet": "apps/v1", "Service": "v1", "Ingress": "networking.k8s.io/v1"}
AFFINE = "nginx.ingress.kubernetes.io"


def check(given: Any, schema: Any, where: str) -> None:
    """Refuses a field that is missing, unknown or of another type."""
    if schema is NAMES:
        assert given, where
        schema = dict.fromkeys(given, str)
    if isinstance(schema, dict):
        needed = {name for name in schema if not name.endswith("?")}
        assert isinstance(given, dict), where
        assert needed <= set(given) <= {name.rstrip("?") for name in schema}, (where, set(given))
        for name, value in given.items():
            check(value, schema.get(name, schema.get(f"{name}?")), f"{where}.{name}")
    elif isinstance(schema, list):
        assert isinstance(given, list), where
        assert given, where
        for i, value in enumerate(given):
            check(value, schema[0], f"{where}[{i}]")
    else:
        assert type(given) is schema, (where, given)


class Cluster:
    """The objects of the file, as a cluster reads them."""

    def __init__(self, objects: list[dict[str, Any]]) -> None:
        for one in objects:
            kind = one["kind"]
            assert one["apiVersion"] == VERSIONS[kind]
            check(one["spec"], KINDS[kind], kind)
        named = {(one["kind"], one["metadata"]["name"]): one for one in objects}
        assert len(named) == len(objects), "two objects of one kind and name"
        self.services = {
            name: one["spec"] for (kind, name), one in named.items() if kind == "Service"
        }
        (self.name, self.set), *others = [
            (name, one["spec"]) for (kind, name), one in named.items() if kind == "StatefulSet"
        ]
        self.ingresses = [one for (kind, _), one in named.items() if kind == "Ingress"]
        assert not others
        template = self.set["template"]
        (self.container,) = template["spec"]["containers"]
        assert self.set["selector"]["matchLabels"].items() <= template["metadata"]["labels"].items()
        assert self.set["serviceName"] in self.services

    @property
    def pods(self) -> dict[str, dict[str, str]]:
        """The labels of each pod, by its name: a StatefulSet numbers them from 0."""
        labels = self.set["template"]["metadata"]["labels"]
        names = [f"{self.name}-{i}" for i in range(self.set["replicas"])]
        return {name: labels | {"statefulset.kubernetes.io/pod-name": name} for name in names}

    def env(self, pod: str) -> dict[str, str]:
        """What the app of a pod finds in its environment, secrets left out."""
        found = {}
        for one in self.container["env"]:
            path = one.get("valueFrom", {}).get("fieldRef", {}).get("fieldPath")
            if "value" in one:
                found[one["name"]] = one["value"]
            elif path is not None:
                found[one["name"]] = {"metadata.name": pod}[path]
        return found

    def targets(self, service: str, port: str) -> list[str]:
        """The pods behind a Service, whose port leads to one of the container's."""
        spec = self.services[service]
        (to,) = (one["targetPort"] for one in spec["ports"] if one["name"] == port)
        assert to in {one["name"] for one in self.container["ports"]}
        return [pod for pod, has in self.pods.items() if spec["selector"].items() <= has.items()]

    def rules(self, host: str) -> list[tuple[str, str, str, dict[str, str]]]:
        """A host's paths, each with its Service, its port and the notes of its Ingress.

        If one Ingress of a host has `use-regex`, each path is for ingress-nginx the beginning of a
        pattern that does not tell upper from lower case, and the longest is tried first.
        """
        rules = [
            (path["path"], *to_service(path), one["metadata"]["annotations"])
            for one in self.ingresses
            for rule in one["spec"]["rules"]
            if rule["host"] == host
            for path in rule["http"]["paths"]
        ]
        assert any(notes.get(f"{AFFINE}/use-regex") == "true" for *_, notes in rules)
        return sorted(rules, key=lambda rule: len(rule[0]), reverse=True)

    def route(self, host: str, path: str) -> tuple[list[str], dict[str, str]]:
        """The pods to one of which a request is sent, and the notes of the Ingress that does so."""
        for pattern, service, port, notes in self.rules(host):
            if re.match(pattern, path, re.IGNORECASE):
                return self.targets(service, port), notes
        return [], {}


def to_service(path: dict[str, Any]) -> tuple[str, str]:
    service = path["backend"]["service"]
    return service["name"], service["port"]["name"]


def stands(objects: list[dict[str, Any]], lm: LanguageModel, patch: pytest.MonkeyPatch) -> None:
    """Checks that pages, rooms and probes of these objects work."""
    cluster = Cluster(objects)
    (host,) = {rule["host"] for one in cluster.ingresses for rule in one["spec"]["rules"]}
    pods, notes = cluster.route(host, "/kv_cache")
    assert pods == list(cluster.pods)
    assert notes[f"{AFFINE}/affinity"] == "cookie"
    assert notes[f"{AFFINE}/session-cookie-path"] == "/", "needed beside patterns"
    assert int(notes[f"{AFFINE}/proxy-read-timeout"]) >= 3600
    options = cluster.container["command"][5:]
    given = dict(zip(options[::2], options[1::2], strict=True))
    assert {name.removeprefix("--") for name in given} <= set(config.get_config_options())
    assert given["--server.address"] == "0.0.0.0"
    assert [int(given["--server.port"])] == [
        one["containerPort"] for one in cluster.container["ports"]
    ]

    guarded, codes = Guard(PlainTextResponse("ok")), set[str]()
    for pod in cluster.pods:
        env = cluster.env(pod)
        with patch.context() as set_up:
            allowed = env["STREAMLIT_SERVER_ALLOWED_HOSTS"].split()
            set_up.setattr(config, "get_option", lambda _, names=allowed: names)
            for name in ("startupProbe", "readinessProbe", "livenessProbe"):
                asked = cluster.container[name]["httpGet"]
                headers = {one["name"].lower(): one["value"] for one in asked["httpHeaders"]}
                assert ask(guarded, asked["path"], headers).status == 200
                assert asked["port"] in {one["name"] for one in cluster.container["ports"]}
            assert ask(guarded, "/", {"host": host}).status == 200
        assert Proxies(env["FORWARDED_ALLOW_IPS"]).reader(INGRESS_ADDRESS, [READER]) == READER
        patch.setenv("ONE_TOKEN_COPY", env["ONE_TOKEN_COPY"])
        opened = open_class(lm)
        codes.add(opened.room.code[0])
        for path in addresses(opened.room.code):
            pods, notes = cluster.route(host, path)
            assert pods == [pod], path
            assert f"{AFFINE}/affinity" not in notes, "it would change the cookie of the pages"
        opened.end()
    assert len(codes) == len(cluster.pods)


def addresses(code: str) -> Iterator[str]:
    """Every address of a room, with its code as it is shown and as it is typed."""
    for part in (desk, phone, projector):
        for route in part.routes(""):
            if "{code}" in route.path:
                yield from (route.path.format(code=typed) for typed in (code, code.lower()))


@pytest.fixture
def objects() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(FILE.read_text("utf-8")))


def test_pages_rooms_and_probes_work_as_the_file_says(
    objects: list[dict[str, Any]], storyteller: LanguageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    stands(objects, storyteller, monkeypatch)


def find(objects: list[dict[str, Any]], kind: str) -> Any:
    return next(one for one in objects if one["kind"] == kind)


def container(objects: list[dict[str, Any]]) -> Any:
    return find(objects, "StatefulSet")["spec"]["template"]["spec"]["containers"][0]


def paths(objects: list[dict[str, Any]]) -> Any:
    return objects[-1]["spec"]["rules"][0]["http"]["paths"]


SPOILT: dict[str, Callable[[list[dict[str, Any]]], object]] = {
    "a Deployment": lambda all_: find(all_, "StatefulSet").update(kind="Deployment"),
    "a copy too many": lambda all_: find(all_, "StatefulSet")["spec"].update(replicas=3),
    "one letter for all": lambda all_: container(all_)["env"].__setitem__(
        0, {"name": "ONE_TOKEN_COPY", "value": "A"}
    ),
    "no letter": lambda all_: container(all_)["env"].pop(0),
    "no name is allowed that the Ingress has": lambda all_: container(all_)["env"][1].update(
        value="other.example"
    ),
    "a probe by address": lambda all_: container(all_)["startupProbe"]["httpGet"].update(
        httpHeaders=[{"name": "Host", "value": "10.42.0.7:8501"}]
    ),
    "a probe without a name": lambda all_: container(all_)["livenessProbe"]["httpGet"].pop(
        "httpHeaders"
    ),
    "a proxy that is not named": lambda all_: container(all_)["env"][2].update(value="127.0.0.1"),
    "a room's path too few": lambda all_: paths(all_).pop(1),
    "one Ingress for both": lambda all_: all_[-1]["metadata"]["annotations"].update(
        {f"{AFFINE}/affinity": "cookie"}
    ),
    "patterns that are none": lambda all_: all_[-1]["metadata"]["annotations"].clear(),
    "rooms changed round": lambda all_: (
        paths(all_)[0].update(path="/room/B") or paths(all_)[1].update(path="/room/A")
    ),
    "affinity by address": lambda all_: find(all_, "Service")["spec"].update(
        sessionAffinity="ClientIP"
    ),
    "no affinity": lambda all_: find(all_, "Ingress")["metadata"]["annotations"].pop(
        f"{AFFINE}/affinity"
    ),
    "a port that is none": lambda all_: container(all_)["ports"][0].update(containerPort=80),
    "a number that is text": lambda all_: find(all_, "StatefulSet")["spec"].update(replicas="2"),
    "an option that is none": lambda all_: container(all_)["command"].extend(
        ["--server.host", "x"]
    ),
}


@pytest.mark.parametrize("what", SPOILT)
def test_a_file_that_cannot_work_is_refused(
    objects: list[dict[str, Any]],
    what: str,
    storyteller: LanguageModel,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spoilt = copy.deepcopy(objects)
    SPOILT[what](spoilt)
    with pytest.raises((AssertionError, KeyError, ValueError)):
        stands(spoilt, storyteller, monkeypatch)
