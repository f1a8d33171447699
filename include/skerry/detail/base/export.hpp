// SPDX-License-Identifier: Apache-2.0
#pragma once

// SKERRY_EXPORT marks what the shared library shows; everything else in it is hidden. The same declaration serves the
// builder and the user of both libraries: ELF needs no import mark, so nothing depends on how a program links.
#define SKERRY_EXPORT __attribute__((__visibility__("default")))
