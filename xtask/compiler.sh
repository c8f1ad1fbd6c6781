#!/bin/sh
# Installs a C++ compiler if none is installed. xtask cannot do this, because linking xtask itself needs a compiler.
set -eu
if command -v cc >/dev/null && command -v c++ >/dev/null; then
    exit 0
fi
sudo=$([ "$(id -u)" = 0 ] || echo sudo)
echo "installing Debian's g++, which compiles glslang and SPIRV-Cross and links what Rust makes"
$sudo apt-get update -qq
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends g++
