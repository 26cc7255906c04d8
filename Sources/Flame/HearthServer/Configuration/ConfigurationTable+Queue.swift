import HearthEngine
import HearthFirestore
import HearthModel

/// The keys for the writes that wait for the backend.
extension ConfigurationTable {
    static let queue = ConfigurationSection(
        "queue", takesEffectAtOnce: true,
        introduction: """
            How much may wait for the backend: a write beyond a limit is refused with \
            RESOURCE_EXHAUSTED, which names the limit, until the backend has taken some writes. \
            Writes that wait already stay.
            """,
        keys: [
            .count(
                "batchCountMax", \.queueLimits.batchCountMax, 1...(1 << 40), of: .database,
                "Batches that may wait for the backend."
            ).told("Batches of all programs."),
            .bytes(
                "byteCountMax", \.queueLimits.byteCountMax, 1_024...(1 << 46), of: .database,
                "Bytes that may wait for the backend."
            ).told("The size of their writes."),
            .count(
                "uidBatchCountMax", \.queueLimits.uidBatchCountMax, 1...(1 << 40), of: .user,
                "Batches of one Unix user that may wait."
            ).told("Batches of one Unix user."),
            .bytes(
                "uidByteCountMax", \.queueLimits.uidByteCountMax, 1_024...(1 << 46), of: .user,
                "Bytes of one Unix user that may wait."
            ).told("The size of their writes."),
            .taken(
                "exactlyOnce", .collection, "collection",
                "Where writes that were sent are marked."
            ) { path, configuration in
                guard !path.isEmpty else { return }
                configuration.queueLimits.lostAnswers.markers = try? ResourcePath(parsing: path)
            }.told(
                """
                A collection, empty for none. If it is set, each batch also creates a document \
                there, PATH/DAEMON-USER-BATCH, which must not exist: so the batch is applied once, \
                whatever answers are lost, and no batch that is sent again undoes a later one. \
                Each batch costs one more write, and a delete an hour after the answer. Security \
                rules must let the user create, get and delete there; if they do not, the journal \
                and `hearth status` say so, and nothing is marked. Programs can neither read nor \
                write in the collection. A batch of nearly 10 MiB has no room for the document, \
                and nothing is sent behind it before its answer.
                """),
            .choice(
                "inDoubt", "word", \.queueLimits.lostAnswers.inDoubt,
                "Unmarked ones in doubt: resend or deadLetter."
            ).told(
                """
                What the daemon does with a batch that cannot be applied twice without harm (one \
                with an increment or a precondition) if it has no mark and its answer was lost: \
                "resend", and the batch may be applied twice; or "deadLetter", and the batch \
                is put aside as in doubt, and may not have been applied.
                """),
        ])
}
