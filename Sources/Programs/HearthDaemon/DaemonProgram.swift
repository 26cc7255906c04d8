import ArgumentParser
import HearthCLI

/// The file of both programs: most of their code is the same, so two files would hold it twice.
///
/// Called `hearth`, it is the command line tool, else the daemon.
@main
enum DaemonProgram {
    static func main() async {
        if CommandLineTool.isCalled {
            await CommandLineTool.main()
        } else {
            FatalSignals.endAtOnce()
            await HearthDaemonCommand.main()
        }
    }
}
