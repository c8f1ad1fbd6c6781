#!/bin/sh
# Installs a C++ compiler, unless there is one. It is no chore of xtask: linking that takes a compiler, too.
set -eu
if command -v cc >/dev/null && command -v c++ >/dev/null; then
    exit 0
fi
sudo=$([ "$(id -u)" = 0 ] || echo sudo)
echo "installing Debian's g++, which compiles glslang and SPIRV-Cross and links what Rust makes"
$sudo apt-get update -qq
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends g++
