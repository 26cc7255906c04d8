import ArgumentParser
import HearthCLI

/// The executable file of both programs.
///
/// The programs share most of their code, so two files would hold the shared code twice.
///
/// Called `hearth`, it is the command line tool, else the daemon.
@main
enum DaemonProgram {
    static func main() async {
        if CommandLineTool.isCalled {
            await CommandLineTool.main()
        } else {
            FatalSignals.endAtOnce()
            ShortSlices.ask()
            await HearthDaemonCommand.main()
        }
    }
}
