// What Swift cannot import of zlib: macros that call.
#ifndef HEARTH_CZLIB_SHIM_H
#define HEARTH_CZLIB_SHIM_H

#include <zlib.h>

/// Begins to unpack gzip or zlib's own form, whichever comes.
static inline int czlib_inflate_init(z_stream *stream) {
    return inflateInit2(stream, MAX_WBITS + 32);
}

/// Begins to pack as gzip.
static inline int czlib_gzip_init(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
}

#endif
