import HearthCLI

/// `hearth` as a program of its own.
@main
enum HearthProgram {
    static func main() async { await CommandLineTool.main() }
}
