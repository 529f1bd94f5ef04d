# syntax=docker/dockerfile:1
# aslant on CPUs, for a desk, cron or Kubernetes:
#   docker build -t aslant .                                   with language models and encoders
#   docker build -t aslant --build-arg EXTRAS= .               word embeddings only; much smaller
#   docker run --rm -v "$PWD:/work" -v aslant-cache:/cache aslant audit vectors.bin
# The container runs as nobody in particular, writes to /work and /cache only, and can have a read-only root.
ARG PYTHON=3.12

FROM python:${PYTHON}-slim AS build
ARG EXTRAS=lm
# PyTorch's own builds for CPUs: those elsewhere bring gigabytes of CUDA.
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/aslant
ENV PATH=/opt/aslant/bin:$PATH
WORKDIR /src
COPY constraints.txt ./
RUN case ",${EXTRAS}," in *,lm,*) pip install -c constraints.txt --index-url "${TORCH_INDEX}" torch ;; esac
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN pip install -c constraints.txt ".${EXTRAS:+[$EXTRAS]}"

FROM python:${PYTHON}-slim
LABEL org.opencontainers.image.title="aslant" \
      org.opencontainers.image.description="Find, measure and explain social bias in word embeddings and language models" \
      org.opencontainers.image.licenses="MIT AND BSD-3-Clause AND CC-BY-4.0 AND CC-BY-SA-4.0 AND PDDL-1.0"
COPY --from=build /opt/aslant /opt/aslant
# Any user may write to these two, since Kubernetes may choose one.
RUN mkdir -m 1777 /cache /work
ENV PATH=/opt/aslant/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    HOME=/cache \
    ASLANT_CACHE=/cache/aslant \
    HF_HOME=/cache/huggingface \
    NUMBA_CACHE_DIR=/cache/numba
VOLUME /cache
WORKDIR /work
USER 10001:10001
ENTRYPOINT ["aslant"]
CMD ["audit"]
