import ArgumentParser
import Hearth

/// `hearth rtdb import`.
struct RtdbImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Write a JSON file to a place.",
        discussion: """
            The file is what "hearth rtdb export" or the service's own export wrote. It replaces \
            all at the place in one write. With --merge its children are written in groups, and \
            others stay: so a file that is too large for one write can be imported. JSON: path, \
            writes, state.
            """)

    @Argument(help: "The file; \"-\" is standard input.", completion: .file())
    var file: String
    @Argument(
        help: "The place; the root if nothing is said.", completion: CompletionSubject.place.kind)
    var path = "/"
    @Flag(help: "Keep children that the file does not have.")
    var merge = false
    @Option(
        help: ArgumentHelp("With --merge: children that are written together.", valueName: "n"),
        transform: WholeNumber.positive)
    var batchSize = 500
    @OptionGroup var write: StageOptions
    @OptionGroup var instance: InstanceOptions

    func run() async throws {
        let value = try ValueArgument.file(file, byteCountMax: InputFile.dataByteCountMax)
        let writes = try Self.writes(of: value, merging: merge, batchSize: batchSize)
        let session = try await InstanceSession.whenStarted(
            instance, timeout: write.timeout?.duration)
        let (reference, stage, merge) = (try session.reference(path), write.until.stage, merge)
        try await session.attempt("import \(file)", timeout: write.timeout?.duration) {
            for write in writes {
                if merge {
                    try await reference.updateChildValues(try write.treeUpdate(), until: stage)
                } else {
                    try await reference.setValue(try write.treeValue(), until: stage)
                }
            }
        }
        report(writes.count)
    }

    /// The writes that a file becomes, in order.
    static func writes(
        of value: ValueLiteral, merging: Bool, batchSize: Int
    ) throws(Failure) -> [ValueLiteral] {
        guard merging else {
            _ = try value.treeValue()
            return [value]
        }
        _ = try value.treeUpdate()
        let fields = value.fields ?? []
        return stride(from: 0, to: fields.count, by: batchSize).map {
            .map(Array(fields[$0..<min($0 + batchSize, fields.count)]))
        }
    }

    private func report(_ count: Int) {
        let state = write.until.rawValue
        if instance.json {
            Terminal.print(
                Report().with("path", path).with("writes", count).with("state", state).line)
        } else if !instance.quiet {
            Terminal.print("\(state) \(path), \(Quantity.count(count, "write", "writes"))")
        }
    }
}
