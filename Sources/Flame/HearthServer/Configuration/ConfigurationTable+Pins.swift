import HearthModel

/// The keys of pins.
extension ConfigurationTable {
    static let pins = ConfigurationSection(
        "pins", takesEffectAtOnce: true,
        introduction: """
            Queries and documents of Firestore that are kept in step without a listener, and never \
            leave the cache: those of `keep`, and those that users order by `hearth pin`. A pin needs \
            the right to read what it names (see [access]).
            """,
        keys: [
            .documents(
                "keep", \.pins.keep, "Documents and collections that are pinned."
            ).told(
                """
                Documents and collections of the default database that are pinned without an order, \
                such as ["menu", "shops/1"]; each is called by its path. Between the flag's paths \
                stands a comma.
                """),
            .count(
                "uidCountMax", \.pins.uidCountMax, 0...1_000, of: .user,
                "Pins of one Unix user."
            ).told("Pins that one Unix user may have, in all databases together."),
            .bytes(
                "uidByteCountMax", \.pins.uidByteCountMax, 0...(1 << 40), of: .user,
                "Bytes that the pins of one Unix user may have."
            ).told(
                """
                Bytes of results that the pins of one Unix user may have in a database, which are \
                kept whatever cache.byteCountMax says. A pin that takes its user above is stopped, \
                and `hearth pins` tells so. Pins of `keep` do not count.
                """),
            .count(
                "watchedCountMax", \.pins.watchedCountMax, 1...10_000, of: .database,
                "Pins of all users that are watched at a time."
            ).told(
                """
                Pins of all users that are watched at a time in a database. If there are more, users \
                get equally many, and the rest waits. Pins with --fresh take turns besides.
                """),
        ])
}
