#ifndef HEARTH_CPAGE_H
#define HEARTH_CPAGE_H

#include <stddef.h>

/// A file of the console's page, which the compiler has put into the program.
struct hearth_page_file {
    /// The file's name, without a folder.
    const char *name;
    /// The file's content.
    const unsigned char *bytes;
    /// How many bytes the content has.
    size_t byte_count;
};

/// How many files there are.
size_t hearth_page_file_count(void);

/// The file of a number, from 0 to below the count.
struct hearth_page_file hearth_page_file(size_t number);

#endif
