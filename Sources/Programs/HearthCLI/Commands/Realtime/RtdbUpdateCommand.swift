import ArgumentParser
import Hearth

/// `hearth rtdb update`.
struct RtdbUpdateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Replace several places below one, all or none.",
        discussion: """
            Each place is a path below the first, such as name or lamps/a/on; delete() and null \
            remove. No place may lie below another. JSON: path, state, batch.
            """)

    @Argument(
        help: "The place, such as rooms/hall; / is the root.",
        completion: CompletionSubject.place.kind)
    var path: String
    @Argument(help: ArgumentHelp("PLACE=VALUE, or \"-\" for an object.", valueName: "place=value"))
    var places: [String]
    @OptionGroup var write: StageOptions
    @OptionGroup var instance: InstanceOptions

    func run() async throws {
        let update = try Self.update(places)
        _ = try update.treeUpdate()  // What cannot be written is refused before a daemon is needed.
        try update.checkFitsWrite()
        let session = try await InstanceSession.whenStarted(
            instance, timeout: write.timeout?.duration)
        let reference = try session.reference(path)
        try await session.write(path, write, instance) { stage in
            try await reference.updateChildValues(try update.treeUpdate(), until: stage)
        }
    }

    /// Reads `PLACE=VALUE ...`, or an object on standard input.
    static func update(_ places: [String]) throws(Failure) -> ValueLiteral {
        if places == ["-"] { return try ValueArgument.file("-") }
        var fields: [ValueLiteral.Field] = []
        for text in places {
            // By bytes: a mark behind the sign is the value's.
            guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")),
                equals > text.startIndex
            else {
                throw Failure(.usage, "\"\(text)\" is no PLACE=VALUE.".oneLine)
            }
            let value = try ValueArgument.read(String(text[text.utf8.index(after: equals)...]))
            fields.append(.init(name: String(text[..<equals]), value: value))
        }
        return .map(fields)
    }
}
