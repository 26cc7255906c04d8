import ArgumentParser
import Hearth

/// `hearth dead-letters`.
struct DeadLettersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dead-letters",
        abstract: "Look after the batches that were rejected or cancelled.",
        discussion: """
            A write of one of Google's clients that was rejected while the client waited for the answer \
            is no dead letter, unless the daemon was killed within the next minute and does not know \
            that the client had its answer.
            """,
        subcommands: [
            List.self, Show.self, Retry.self, Edit.self, Drop.self, Export.self,
        ],
        defaultSubcommand: List.self)

    /// `hearth dead-letters list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Print the dead letters, oldest first.",
            discussion: """
                JSON as in `queue list`, \
                and rejectedAt, error, code (a number), cause (its name), mayHaveBeenApplied; \
                with --by-cause as there. An administrator's cancellation has the cause CANCELLED.
                """)

        @OptionGroup var selection: BatchSelection
        @OptionGroup var listing: ListingOptions
        @OptionGroup var connection: OperatorOptions

        func run() async throws {
            try await listing.print(.letters, selection, connection, "was rejected or cancelled")
        }
    }

    /// `hearth dead-letters show`.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Print a dead letter with what it should have written.",
            discussion: "JSON: the fields of list, and writes as in `queue show`.")

        @Argument(
            help: "The batch.", completion: CompletionSubject.batch.kind,
            transform: BatchRange.parseNumber)
        var number: Int64
        @OptionGroup var connection: OperatorOptions

        func run() async throws {
            let session = try await OperatorSession.open(connection)
            let (letter, writes) = try await session.attempt("show batch \(number)") { [number] in
                try await session.database.shownLetter(number)
            }
            BatchPages.print(letter, writes, connection)
        }
    }

    /// `hearth dead-letters retry`.
    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry", abstract: "Put dead letters at the end of the queue.",
            discussion: """
                Each gets a new number and keeps its writer. JSON, a line for each: batch, newBatch.
                """)

        @OptionGroup var batches: BatchArguments
        @Flag(help: "Even those that may have been applied, which may apply them twice.")
        var evenIfApplied = false
        @OptionGroup var connection: OperatorOptions

        func run() async throws {
            try await batches.each("retry", .letters, connection) { [evenIfApplied] in
                let newNumbers = try await $0.retryDeadLetters($1, evenIfApplied: evenIfApplied)
                for number in newNumbers.keys.sorted() {
                    DeadLettersCommand.report(number, queuedAs: newNumbers[number] ?? 0, $2)
                }
            }
        }
    }

    /// `hearth dead-letters edit`.
    struct Edit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "edit",
            abstract: "Put a dead letter at the end of the queue, with other writes.",
            discussion: """
                Mends what the backend refused: `hearth dead-letters show --json` prints what the \
                file holds, a list of writes or the whole. It gets a new number and keeps its \
                writer. JSON: batch, newBatch.
                """)

        @Argument(
            help: "The batch.", completion: CompletionSubject.batch.kind,
            transform: BatchRange.parseNumber)
        var number: Int64
        @Argument(help: "The file; - for standard input.", completion: .file())
        var file = "-"
        @Flag(help: "Even if it may have been applied, which may apply a part of it twice.")
        var evenIfApplied = false
        @OptionGroup var connection: OperatorOptions

        func run() async throws {
            let literals = try WriteText.read(try InputFile.read(file), from: file)
            let session = try await OperatorSession.open(connection)
            let newNumber = try await session.attempt("edit batch \(number)") {
                [number, evenIfApplied] in
                try await session.database.editLetter(
                    number, to: literals, evenIfApplied: evenIfApplied)
            }
            DeadLettersCommand.report(number, queuedAs: newNumber, connection)
        }
    }

    /// `hearth dead-letters drop`.
    struct Drop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "drop", abstract: "Forget dead letters.", discussion: "JSON: batch.")

        @OptionGroup var batches: BatchArguments
        @Flag(help: "Yes, what they should have written is to be lost.")
        var yes = false
        @OptionGroup var connection: OperatorOptions

        func validate() throws {
            guard yes else {
                throw ValidationError("What is dropped is lost; say --yes, or export it first.")
            }
        }

        func run() async throws {
            try await batches.steer("drop", "dropped", .letters, connection) {
                try await $0.dropDeadLetters($1)
            }
        }
    }

    /// `hearth dead-letters export`.
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Print dead letters with their writes, as JSON, one a line.",
            discussion:
                "All, if none are named. Each line is what show --json prints. Nothing is dropped. If "
                + "there is none, standard error says so, and the status is 0.")

        @OptionGroup var selection: BatchSelection
        @OptionGroup var connection: OperatorOptions

        func run() async throws {
            let session = try await OperatorSession.open(connection)
            let letters = try await session.attempt("list the dead letters") { [selection] in
                try await BatchList.letters.batches(selection, of: session.database)
            }
            if letters.isEmpty, !connection.quiet {
                Terminal.write("Nothing was rejected or cancelled.\n", to: .error)
            }
            for letter in letters {
                let id = letter.batch.id
                let writes = try await session.attempt("export batch \(id)") {
                    try await session.database.shownLetter(id).writes
                }
                Terminal.print(letter.report(of: writes).line)
            }
        }
    }

    /// Says under which number a dead letter is queued now.
    private static func report(
        _ number: Int64, queuedAs newNumber: Int64, _ connection: OperatorOptions
    ) {
        if connection.json {
            Terminal.print(
                Report().with("batch", Int(number)).with("newBatch", Int(newNumber)).line)
        } else if !connection.quiet {
            Terminal.print("queued \(number) as \(newNumber)")
        }
    }
}

/// `hearth queue dead-letters`, an older name of `hearth dead-letters list`.
struct QueueLettersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dead-letters", abstract: "The same as `hearth dead-letters list`.")

    @OptionGroup var selection: BatchSelection
    @OptionGroup var listing: ListingOptions
    @OptionGroup var connection: OperatorOptions

    func run() async throws {
        try await listing.print(.letters, selection, connection, "was rejected or cancelled")
    }
}
