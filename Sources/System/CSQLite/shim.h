// What Swift cannot import of libsqlite3: macros that are casts, and variadic calls.
#ifndef HEARTH_CSQLITE_SHIM_H
#define HEARTH_CSQLITE_SHIM_H

#include <stddef.h>
#include <sqlite3.h>

/// Binds text that stays valid until the statement is stepped and reset.
static inline int csqlite_bind_text_static(
    sqlite3_stmt *statement, int index, const char *text, int byte_count) {
    return sqlite3_bind_text(statement, index, text, byte_count, SQLITE_STATIC);
}

/// Binds bytes that stay valid until the statement is stepped and reset.
static inline int csqlite_bind_blob_static(
    sqlite3_stmt *statement, int index, const void *bytes, int byte_count) {
    return sqlite3_bind_blob(statement, index, bytes, byte_count, SQLITE_STATIC);
}

/// Binds bytes of which SQLite keeps its own copy.
static inline int csqlite_bind_blob_transient(
    sqlite3_stmt *statement, int index, const void *bytes, int byte_count) {
    return sqlite3_bind_blob(statement, index, bytes, byte_count, SQLITE_TRANSIENT);
}

/// Binds text of which SQLite keeps its own copy.
static inline int csqlite_bind_text_transient(
    sqlite3_stmt *statement, int index, const char *text, int byte_count) {
    return sqlite3_bind_text(statement, index, text, byte_count, SQLITE_TRANSIENT);
}

/// Leaves the log as it is when the connection closes, or with 0 has SQLite take the log into the file.
static inline int csqlite_leave_log_on_close(sqlite3 *database, int leaves) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, leaves, NULL);
}

/// Keeps what a savepoint would undo in memory, never in a temporary file. Before any database opens.
static inline int csqlite_keep_savepoints_in_memory(void) {
    return sqlite3_config(SQLITE_CONFIG_STMTJRNL_SPILL, -1);
}

#endif
