# The app on PyTorch's CPU build, as a container or a Hugging Face Docker Space:
#   docker build -t one-token . && docker run --rm -p 7860:7860 one-token
FROM python:3.13-slim

RUN useradd --uid 1000 --create-home --home-dir /user user
USER user
ENV HOME=/user VIRTUAL_ENV=/user/venv PATH=/user/venv/bin:$PATH PYTHONUNBUFFERED=1 HOST=0.0.0.0 PORT=7860
WORKDIR /user/app

COPY --chown=user requirements.txt .
RUN python -m venv $VIRTUAL_ENV \
    && pip install --no-cache-dir uv \
    && uv pip install --no-cache --torch-backend cpu -r requirements.txt
COPY --chown=user . .

EXPOSE 7860
HEALTHCHECK --start-period=60s \
    CMD python -c "from os import environ; from urllib.request import urlopen; urlopen(f'http://127.0.0.1:{environ[\"PORT\"]}/_stcore/health')"
CMD exec python -m one_token --host "$HOST" --port "$PORT" --server.headless=true --server.allowedHosts="*"
