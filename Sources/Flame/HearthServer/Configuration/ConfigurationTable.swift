/// Everything that can be configured, once: the reader, the flags with their help, `hearthd.toml`, the
/// manual page and the answer to a reload are made of it.
///
/// A key is a row, and a property that the row names. The property has the default.
package enum ConfigurationTable {
    /// The sections in the order of the file, which is also the order in which keys take effect.
    package static let sections = [
        database, upstream, realtime, credentials, sockets, gateway, access, store, cache, pins,
        queue, ledger, history, limits, engine, server, log,
    ]

    /// All keys.
    package static let keys = sections.flatMap(\.keys)

    private static let keysByName = Dictionary(uniqueKeysWithValues: keys.map { ($0.name, $0) })

    /// The key of a name such as `limits.clientCountMax`.
    package static func key(named name: String) -> ConfigurationKey? { keysByName[name] }

    /// What the file says before its first section.
    static let introduction = """
        hearthd.toml: how this machine's daemon for Firebase's databases works.

        Every key is shown with its default. The daemon reads this file first, then the files in \
        conf.d beside this file, in the order of their names: a later file wins, and flags of the \
        same names (`--database.project demo`) win over all files. `hearth reload`, `systemctl \
        reload hearthd` or SIGHUP reads all files again. Each section, and the answer to the \
        reload, say whether a change counts at once, for connected programs too, or after a \
        restart. If anything is wrong then, the old configuration goes on to count.

        A reload refuses to go on without what counts and is gone: this file, the folder conf.d, or \
        a file in conf.d with access rules. Nor does it take a file that counts and is empty now, as \
        while it is written: a file with nothing but a comment line takes back what the file \
        said. A restart goes on without what is gone.

        At the start the daemon leaves out a wrong key or value, tells the fault in the journal \
        and in `hearth status`, and starts all the same. A file that cannot be read may have access \
        rules: until the file is mended, only root and the daemon's own user may do anything. \
        `hearthd --check` tells faults without starting.
        """
}
