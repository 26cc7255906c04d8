import ArgumentParser
import Hearth

/// `hearth queue hold`.
struct QueueHoldCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hold", abstract: "Keep batches back, and all behind them.",
        discussion: "Held batches stay held over restarts. JSON: batch.")

    @OptionGroup var batches: BatchArguments
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        try await batches.steer("hold", "held", .queue, connection) {
            try await $0.holdPendingBatches($1)
        }
    }
}

/// `hearth queue release`.
struct QueueReleaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release", abstract: "Let held batches go.", discussion: "JSON: batch.")

    @OptionGroup var batches: BatchArguments
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        try await batches.steer("release", "released", .queue, connection) {
            try await $0.releasePendingBatches($1)
        }
    }
}

/// `hearth queue cancel`.
struct QueueCancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Take batches out of the queue, and keep them among the dead letters.",
        discussion: """
            Every program sees at once that they are undone, and who wrote them is told CANCELLED. \
            `hearth dead-letters retry` queues them anew. JSON: batch.
            """)

    @OptionGroup var batches: BatchArguments
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        try await batches.steer("cancel", "cancelled", .queue, connection) {
            try await $0.cancelPendingBatches($1)
        }
    }
}

/// `hearth queue drop`.
struct QueueDropCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop", abstract: "Take batches out of the queue, and keep nothing of them.",
        discussion: "Who wrote them is told CANCELLED. JSON: batch.")

    @OptionGroup var batches: BatchArguments
    @Flag(help: "Yes, what they write is to be lost.")
    var yes = false
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        guard yes else {
            throw ValidationError("What is dropped is lost; say --yes, or use cancel.")
        }
    }

    func run() async throws {
        try await batches.steer("drop", "dropped", .queue, connection) {
            try await $0.dropPendingBatches($1)
        }
    }
}

/// `hearth queue edit`.
struct QueueEditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Give a batch other writes.",
        discussion: """
            Its number, its place and its writer stay, and every program sees the difference at \
            once. The file holds a list of writes, or what `hearth queue show --json` printed; \
            the help of show tells how a write looks. JSON: batch.
            """)

    @Argument(help: "The batch.")
    var number: Int64
    @Argument(help: "The file; - for standard input.")
    var file = "-"
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let literals = try WriteText.read(try InputFile.read(file), from: file)
        let session = try Session(connection)
        try await session.attempt("edit batch \(number)") { [number] in
            let firestore = session.firestore
            try await firestore.editPendingBatch(
                number, writes: try literals.map { try WriteText.write($0, in: firestore) })
        }
        BatchArguments.report([number], "edited", connection)
    }
}

/// `hearth queue retry`.
struct QueueRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Try the backend now, rather than when the wait after a failure is over.")

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let session = try Session(connection)
        try await session.attempt("try the backend") {
            try await session.firestore.retryBackend()
        }
        if connection.json {
            Terminal.print(Report().with("state", "trying").line)
        } else if !connection.quiet {
            Terminal.print("trying")
        }
    }
}
