import ArgumentParser
import Hearth

/// `hearth rtdb set`.
struct RtdbSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Replace all at a place.",
        discussion: """
            The value comes as an argument, or with \"-\" as JSON on standard input; null removes. \
            A value of more than 16 MiB as JSON needs import. JSON: path, state, batch.
            """)

    @Argument(
        help: "The place, such as rooms/hall.", completion: CompletionSubject.place.kind)
    var path: String
    @Argument(help: "The value, or \"-\".")
    var value: String
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("A priority: text or a number.", valueName: "value"),
        transform: { try ValueReader.readArgument($0, wideIntegers: .double) })
    var priority: ValueLiteral?
    @OptionGroup var write: StageOptions
    @OptionGroup var instance: InstanceOptions

    func run() async throws {
        let value = try ValueArgument.read(value)
        _ = try value.treeValue()  // What cannot be written is refused before a daemon is needed.
        try value.checkFitsWrite()
        let session = try await InstanceSession.whenStarted(
            instance, timeout: write.timeout?.duration)
        let (reference, priority) = (try session.reference(path), priority)
        try await session.write(path, write, instance) { stage in
            try await reference.setValue(
                try value.treeValue(), andPriority: try priority?.treeValue(), until: stage)
        }
    }
}
