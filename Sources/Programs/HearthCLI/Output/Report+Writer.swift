import Hearth

extension Report {
    /// Adds who a process is: uid, gid, pid, unit, program.
    func with(_ process: PendingBatch.Writer) -> Report {
        with("uid", Int(process.uid)).with("gid", Int(process.gid)).with("pid", Int(process.pid))
            .with("unit", process.unit).with("program", process.program)
    }
}

extension PendingBatch.Writer {
    /// One process for people.
    var line: String { "\(unit ?? program ?? "process")[\(pid)] of uid \(uid)" }
}
