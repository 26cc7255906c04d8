import HearthEngine
import HearthModel
import HearthProtocol

/// The messages of the ledger.
extension WireCodec {
    static func encode(_ question: LedgerQuestion) -> ProtoWireReadLedger {
        var proto = ProtoWireReadLedger()
        if let since = question.since { proto.since = FirestoreCodec.encode(since) }
        proto.grouping =
            switch question.grouping {
            case .program: .program
            case .query: .query
            case .listener: .listener
            case .day: .day
            }
        return proto
    }

    static func decode(_ proto: ProtoWireReadLedger) throws(WireError) -> LedgerQuestion {
        var question = LedgerQuestion()
        if proto.hasSince { question.since = try at("since", FirestoreCodec.decode(proto.since)) }
        switch proto.grouping {
        case .program: question.grouping = .program
        case .query: question.grouping = .query
        case .listener: question.grouping = .listener
        case .day: question.grouping = .day
        case .UNRECOGNIZED(let number):
            throw .codec(CodecError(.unknown(value: "\(number)"), at: "grouping"))
        }
        return question
    }

    static func encode(_ report: LedgerReport) -> ProtoWireLedgerReport {
        var proto = ProtoWireLedgerReport()
        proto.since = FirestoreCodec.encode(report.since)
        proto.rows = report.rows.map(encode)
        proto.total = encode(report.total)
        proto.readBudget = report.readBudget
        proto.stopsAtBudget = report.stopsAtBudget
        proto.uidReadBudget = report.uidReadBudget
        return proto
    }

    static func decode(_ proto: ProtoWireLedgerReport) throws(WireError) -> LedgerReport {
        var rows: [LedgerReport.Row] = []
        for row in proto.rows { rows.append(try decode(row)) }
        return LedgerReport(
            since: try at("since", FirestoreCodec.decode(proto.since)), rows: rows,
            total: decode(proto.total), readBudget: proto.readBudget,
            uidReadBudget: proto.uidReadBudget, stopsAtBudget: proto.stopsAtBudget)
    }

    private static func encode(_ row: LedgerReport.Row) -> ProtoWireLedgerRow {
        var proto = ProtoWireLedgerRow()
        if let program = row.program {
            var message = ProtoWireLedgerProgram()
            if let uid = program.uid { message.uid = uid }
            message.unit = program.unit
            message.name = program.name
            proto.program = message
        }
        if let query = row.query { proto.query = query }
        if let day = row.day { proto.day = day.number }
        if let session = row.session { proto.sessionID = session }
        if let since = row.since { proto.since = FirestoreCodec.encode(since) }
        proto.sums = encode(row.sums)
        proto.isStopped = row.isStopped
        if let budget = row.budget { proto.budget = encode(budget) }
        return proto
    }

    private static func decode(_ proto: ProtoWireLedgerRow) throws(WireError) -> LedgerReport.Row {
        var row = LedgerReport.Row(sums: decode(proto.sums))
        if proto.hasProgram {
            row.program = LedgerProgram(
                uid: proto.program.hasUid ? proto.program.uid : nil, unit: proto.program.unit,
                name: proto.program.name)
        }
        if proto.hasQuery { row.query = proto.query }
        if proto.hasDay { row.day = LedgerDay(proto.day) }
        if proto.hasSessionID { row.session = proto.sessionID }
        if proto.hasSince { row.since = try at("rows", FirestoreCodec.decode(proto.since)) }
        row.isStopped = proto.isStopped
        if proto.hasBudget, let program = row.program {
            row.budget = try decode(proto.budget, of: program)
        }
        return row
    }

    private static func encode(_ budget: LedgerBudget) -> ProtoWireLedgerBudget {
        var proto = ProtoWireLedgerBudget()
        proto.holder =
            switch budget.holder {
            case .program: .program
            case .unit: .unit
            case .user: .user
            }
        proto.readCount = budget.readCount
        proto.limit = budget.limit
        return proto
    }

    /// A budget of a row's program; a row whose program has no number has no user's budget.
    private static func decode(
        _ proto: ProtoWireLedgerBudget, of program: LedgerProgram
    ) throws(WireError) -> LedgerBudget? {
        let holder: LedgerBudget.Holder?
        switch proto.holder {
        case .program: holder = .program(program)
        case .unit: holder = .unit(program.unit)
        case .user: holder = program.uid.map { .user($0) }
        case .UNRECOGNIZED(let number):
            throw .codec(CodecError(.unknown(value: "\(number)"), at: "holder"))
        }
        return holder.map {
            LedgerBudget($0, readCount: proto.readCount, limit: proto.limit)
        }
    }

    private static func encode(_ sums: LedgerSums) -> ProtoWireLedgerSums {
        var proto = ProtoWireLedgerSums()
        proto.reads = sums.reads
        proto.aloneReads = sums.aloneReads
        return proto
    }

    private static func decode(_ proto: ProtoWireLedgerSums) -> LedgerSums {
        LedgerSums(reads: proto.reads, aloneReads: proto.aloneReads)
    }
}
