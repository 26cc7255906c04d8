import HearthEngine

/// The keys for what became of documents.
extension ConfigurationTable {
    static let history = ConfigurationSection(
        "history", takesEffectAtOnce: true,
        introduction: """
            What became of each document of Firestore, step by step: the versions that the backend \
            told, and the writes of this machine with who wrote and how each ended. `hearth history \
            PATH` shows the steps; whoever may read the document may see them. Each step keeps the \
            whole document.
            """,
        keys: [
            .flag(
                "isKept", \.historyTerms.isKept, "Whether the history of documents is kept."
            ).told(
                """
                Whether new steps are noted. Steps that were noted stay for their time if this is \
                switched off.
                """),
            .seconds(
                "stepSecondsMax", \.historyTerms.secondsMax, 1...(1 << 31), of: .database,
                "How long a step is kept."
            ).told("How long a step is kept, in seconds; the default is a week."),
            .bytes(
                "byteCountMax", \.historyTerms.byteCountMax, (1 << 20)...(1 << 40), of: .database,
                "Bytes of history that a database keeps."
            ).told(
                """
                Bytes of steps that a database keeps; the oldest steps go first. Steps do not count \
                for cache.byteCountMax.
                """),
        ])
}
