import ArgumentParser
import Hearth

/// `hearth rtdb import`.
struct RtdbImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Write a JSON file to a place.",
        discussion: """
            The file is what "hearth rtdb export" or the service's own export wrote. It replaces \
            all at the place, in one write if it has at most 16 MiB as JSON. A larger file is \
            divided into several writes: the first removes what is at the place, and the others \
            bring children, or children of too large children, in the order of the file, \
            priorities of what was divided last. Each write happens whole or not at all, but not \
            all together: until the last, programs and the backend see a part, and if one fails, \
            those before it stay. With --merge the file's children are written in groups, and \
            others stay; a child of more than 16 MiB is divided in the same way. JSON: path, \
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
        let plan =
            merge
            ? try NodeImportPlan(merging: value, batchSize: batchSize)
            : try NodeImportPlan(replacing: value)
        let session = try await InstanceSession.whenStarted(
            instance, timeout: write.timeout?.duration)
        let (reference, stage) = (try session.reference(path), write.until.stage)
        let count = plan.writes.count
        // What cannot be written is refused before the first of several writes is made.
        if count > 1 { try session.check(plan, at: reference) }
        for (index, write) in plan.writes.enumerated() {
            let part = count > 1 ? ", write \(index + 1) of \(count)" : ""
            try await session.attempt(
                "import \(file)\(part)", timeout: self.write.timeout?.duration
            ) {
                switch write {
                case .set(let value):
                    _ = try await reference.setValue(try value.treeValue(), until: stage)
                case .update(let values):
                    let values = try values.treeUpdate()
                    _ = try await reference.updateChildValues(values, until: stage)
                }
            }
        }
        report(count)
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
