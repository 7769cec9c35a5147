#include <sqlite3.h>

// sqlite3_config is variadic, which Swift can't call. Without memory statistics the allocator takes no global lock.
static inline int gatehouse_sqlite3_disable_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
