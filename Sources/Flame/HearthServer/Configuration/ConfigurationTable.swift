/// Everything that can be configured, once: the reader, the flags with their help, `hearthd.toml`, the
/// manual page and the answer to a reload are made of it.
///
/// A key is a row, and a property that the row names. The property has the default.
package enum ConfigurationTable {
    /// The sections in the order of the file, which is also the order in which keys take effect.
    package static let sections = [
        database, upstream, realtime, credentials, sockets, gateway, access, store, cache, queue,
        limits,
        engine, server, log,
    ]

    /// All keys.
    package static let keys = sections.flatMap(\.keys)

    private static let keysByName = Dictionary(uniqueKeysWithValues: keys.map { ($0.name, $0) })

    /// The key of a name such as `limits.clientCountMax`.
    package static func key(named name: String) -> ConfigurationKey? { keysByName[name] }

    /// What the file says before its first section.
    static let introduction = """
        hearthd.toml: how this machine's daemon for Firebase's databases works.

        Every key is shown with its default. Files in conf.d beside this one are read after it, in \
        the order of their names, and win; flags of the same names (`--database.project demo`) win \
        over all. `hearth reload`, `systemctl reload hearthd` or SIGHUP reads all of it again: each \
        section says whether a change counts at once, for connected programs too, or after a \
        restart, and the answer says so. If anything is wrong then, the old configuration goes on \
        to count.

        At the start a wrong key or value is told in the journal and in `hearth status`, and left \
        out; the daemon starts all the same. `hearthd --check` tells without starting.
        """
}
