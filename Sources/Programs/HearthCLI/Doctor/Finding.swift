/// The result of one examination by the doctor.
struct Finding: Hashable, ListRow {
    /// How serious the result is.
    enum Grade: String {
        /// As it should be.
        case fine
        /// It works, but not for ever or not for all.
        case warning
        /// The fault keeps something from working.
        case problem
    }

    /// The examined subject, in a word or two.
    let subject: String
    /// How serious the result is.
    let grade: Grade
    /// How it is, in a sentence.
    let state: String
    /// What to do, in a sentence or a command; `nil` if nothing.
    let cure: String?

    /// All is well.
    static func fine(_ subject: String, _ state: String) -> Finding {
        Finding(subject: subject, grade: .fine, state: state, cure: nil)
    }

    /// It works, but should be seen to.
    static func warning(_ subject: String, _ state: String, cure: String) -> Finding {
        Finding(subject: subject, grade: .warning, state: state, cure: cure)
    }

    /// It does not work.
    static func problem(_ subject: String, _ state: String, cure: String) -> Finding {
        Finding(subject: subject, grade: .problem, state: state, cure: cure)
    }

    static var columns: [Column<Finding>] {
        [
            Column("GRADE", tone: { $0.tone }) { $0.grade.rawValue },
            Column("SUBJECT") { $0.subject },
            Column("STATE") { $0.state },
            Column("CURE") { $0.cure },
        ]
    }

    private var tone: Column<Finding>.Tone {
        switch grade {
        case .fine: .good
        case .warning: .warning
        case .problem: .bad
        }
    }

    /// For people: a sign, the subject, how it is, and the cure under it.
    var lines: [String] {
        let sign =
            switch grade {
            case .fine: "ok"
            case .warning: "??"
            case .problem: "!!"
            }
        let padding = String(repeating: " ", count: max(1, 10 - subject.count))
        let line = "\(sign)  \(subject)\(padding)\(state)"
        return [line] + (cure.map { ["              \($0)"] } ?? [])
    }

    /// For programs: subject, grade, state, cure.
    var report: Report {
        Report().with("subject", subject).with("grade", grade.rawValue).with("state", state)
            .with("cure", cure)
    }
}
