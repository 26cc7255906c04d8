import Glibc
import HearthTestSupport

/// Programs of Python, which may have Google's own clients.
enum PythonRun {
    /// Runs a program with these variables of its environment, and waits.
    ///
    /// - Returns: The status as the system tells it, 0 for a program that ended well; -1 without a Python.
    static func status(of program: String, _ variables: [String: String]) -> Int32 {
        let settings = variables.map { "\($0.key)=\($0.value)" }
        let words = ["env"] + settings + [Judges.python, "-c", program]
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        guard posix_spawnp(&process, "env", nil, nil, &arguments, environ) == 0 else { return -1 }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 && errno == EINTR {}
        return status
    }
}
