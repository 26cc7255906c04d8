import ArgumentParser
import Hearth

/// `hearth queue`.
struct QueueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue", abstract: "Look after the writes that wait for the backend.",
        discussion: """
            The backend gets batches in the order in which they were accepted, whatever is done \
            here: a held batch holds back all that are behind it in its user's queue. A batch that \
            was sent and not answered is in doubt, and can no longer be held, edited or taken out. \
            An order that names several batches is carried out for all of them or for none. Each \
            database has its own queue: --instance names one of the Realtime Database. Where access \
            rules count, looking needs the right to read the whole database or to administer, and \
            changing the right to administer; hearth describe and hearth history tell of a document \
            to whoever may read the document.
            """,
        subcommands: [
            List.self, Show.self, QueueHoldCommand.self, QueueReleaseCommand.self,
            QueueCancelCommand.self, QueueEditCommand.self, QueueRetryCommand.self,
            QueueDropCommand.self, QueueLettersCommand.self,
        ], defaultSubcommand: List.self)

    /// `hearth queue list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Print the batches that wait, oldest first.",
            discussion: """
                Terms tell when a write is given up, and what must hold for it. JSON, an object for \
                each: batch, state (queued, held, sent), writtenAt, ageSeconds, bytes, user \
                (Firebase's), heldBy (the held batch in front of it, or null), expiresAt (null for \
                never), isOnlineOnly, preconditions (each with document, and exists or updateTime), \
                uid, gid, pid, unit, program, documents (of an instance, the places). With \
                --by-cause one for each cause: cause, batches, first, last, bytes, oldestWrittenAt, \
                writers.
                """)

        @OptionGroup var selection: BatchSelection
        @OptionGroup var listing: ListingOptions
        @OptionGroup var connection: OperatorOptions

        func run() async throws {
            try await listing.print(.queue, selection, connection, "waits")
        }
    }

    /// `hearth queue show`.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Print a batch with what it writes.",
            discussion: """
                Each write is an object: "set" with a document's path and all its "fields"; \
                "change" with the fields that change, by their paths, where {"$delete":true} \
                removes one; "delete"; or "check". Besides: "orders", such as \
                {"visits":{"$increment":1}}, and what must hold before, "exists" or "updateTime". \
                A write to an instance of the Realtime Database is {"set":PLACE,"value":VALUE}, \
                where null removes. \
                JSON: the fields of list, and writes. `hearth queue edit` reads the same.
                """)

        @Argument(
            help: "The batch.", completion: CompletionSubject.batch.kind,
            transform: BatchRange.parseNumber)
        var number: Int64
        @OptionGroup var connection: OperatorOptions

        func run() async throws {
            let session = try await OperatorSession.open(connection)
            let (batch, writes) = try await session.attempt("show batch \(number)") { [number] in
                try await session.database.shownBatch(number)
            }
            BatchPages.print(batch, writes, connection)
        }
    }
}
