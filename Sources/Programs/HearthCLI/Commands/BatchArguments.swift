import ArgumentParser
import Hearth

/// Which batches an order concerns: numbers, ranges, `--where` or `--all`.
struct BatchArguments: ParsableArguments {
    @OptionGroup var selection: BatchSelection

    /// The most batches in one order. Typed numbers form a single order, however many there are.
    private static let orderCountMax = 500
    /// Above this many batches, the command prints a summary for people.
    private static let lineCountMax = 20

    func validate() throws {
        if selection.isEmpty {
            throw ValidationError("Name batches, such as 12 or 3-9, or say --where or --all.")
        }
    }

    /// Gives an order for all that are meant, and says so, a line for each batch.
    func steer(
        _ verb: String, _ done: String, _ list: BatchList, _ connection: OperatorOptions,
        _ order: @escaping @Sendable (any OperatedDatabase, [Int64]) async throws -> Void
    ) async throws {
        try await each(verb, list, connection) {
            try await order($0, $1)
            Self.report($1, done, $2)
        }
    }

    /// Gives orders, each for some of the batches that are meant.
    func each(
        _ verb: String, _ list: BatchList, _ connection: OperatorOptions,
        _ order:
            @escaping @Sendable (any OperatedDatabase, [Int64], OperatorOptions) async throws ->
            Void
    ) async throws {
        let session = try await OperatorSession.open(connection)
        let database = session.database
        if let numbers = selection.numbers {
            let names = numbers.map(String.init).joined(separator: ", ")
            return try await session.attempt("\(verb) \(names)") {
                try await order(database, numbers, connection)
            }
        }
        let found = try await session.attempt("list the batches") { [selection] in
            try await list.batches(selection, of: database)
        }
        // What was sent is out of reach; an order that named it would be refused whole.
        let sent = found.filter { $0.letter == nil && $0.batch.state == .sentUnanswered }
        var rest = found.filter { $0.letter != nil || $0.batch.state != .sentUnanswered }[...]
        tell(found.count, sent.count, connection)
        while !rest.isEmpty {
            let numbers = rest.prefix(Self.orderCountMax).map(\.batch.id)
            rest = rest.dropFirst(numbers.count)
            let names = "batches \(numbers[0]) to \(numbers[numbers.count - 1])"
            try await session.attempt("\(verb) \(names)") {
                try await order(database, numbers, connection)
            }
        }
    }

    private func tell(_ foundCount: Int, _ sentCount: Int, _ connection: OperatorOptions) {
        guard !connection.quiet else { return }
        if foundCount == 0 { Terminal.write("No batch is meant.\n", to: .error) }
        if sentCount > 0 {
            let batches = Quantity.count(sentCount, "batch was sent", "batches were sent")
            Terminal.write("\(batches), and stay as they are until the answer comes.\n", to: .error)
        }
    }

    /// Says what became of batches: a line for each, but for people one line of many.
    static func report(_ numbers: [Int64], _ done: String, _ connection: OperatorOptions) {
        if connection.json {
            for number in numbers {
                Terminal.print(Report().with("batch", Int(number)).with("state", done).line)
            }
        } else if !connection.quiet {
            guard numbers.count > lineCountMax, let first = numbers.first, let last = numbers.last
            else {
                for number in numbers { Terminal.print("\(done) \(number)") }
                return
            }
            Terminal.print("\(done) \(numbers.count) batches, \(first) to \(last)")
        }
    }
}
