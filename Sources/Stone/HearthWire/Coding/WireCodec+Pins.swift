import HearthModel
import HearthProtocol

/// Orders about pins, and how pins stand.
extension WireCodec {
    func encode(_ order: PinOrder) throws(WireError) -> ProtoWirePinOrder {
        var proto = ProtoWirePinOrder()
        switch order {
        case .list: proto.order = .list
        case .keep(let query, let name, let freshness):
            proto.order = .keep
            proto.name = name
            proto.target = try requestCodec().encodeTarget(of: query)
            proto.freshnessMilliseconds = Self.milliseconds(freshness)
        case .end(let name, let uid):
            proto.order = .end
            proto.name = name
            if let uid { proto.uid = uid }
        case .wait(let name, let uid):
            proto.order = .wait
            proto.name = name
            if let uid { proto.uid = uid }
        }
        return proto
    }

    func pinOrder(_ body: RawSpan) throws(WireError) -> PinOrder {
        let proto = try Self.read(ProtoWirePinOrder.self, body)
        let uid = proto.hasUid ? proto.uid : nil
        switch proto.order {
        case .list: return .list
        case .keep:
            return .keep(
                try requestCodec().decodeTarget(proto.hasTarget, proto.target),
                name: try Self.pinName(proto.name),
                freshness: try Self.freshness(proto.freshnessMilliseconds))
        case .end: return .end(name: try Self.pinName(proto.name), uid: uid)
        case .wait: return .wait(name: try Self.pinName(proto.name), uid: uid)
        case .UNRECOGNIZED(let number):
            throw .codec(CodecError(.unknown(value: "\(number)"), at: "order"))
        }
    }

    func encode(_ reports: [PinReport], hasMore: Bool) throws(WireError) -> ProtoWirePins {
        var proto = ProtoWirePins()
        proto.hasMore_p = hasMore
        for report in reports { proto.pins.append(try encode(report)) }
        return proto
    }

    private func encode(_ report: PinReport) throws(WireError) -> ProtoWirePins.Pin {
        var proto = ProtoWirePins.Pin()
        proto.name = report.pin.id.name
        proto.isConfigured = report.pin.id.uid == nil
        proto.uid = report.pin.id.uid ?? 0
        proto.target = try eventCodec().encodeTarget(of: report.pin.query)
        proto.freshnessMilliseconds = Self.milliseconds(report.pin.freshness)
        proto.state =
            switch report.state {
            case .waiting: .waiting
            case .inStep: .inStep
            case .fresh: .fresh
            case .stale: .stale
            case .stopped: .stopped
            }
        if let time = report.completedAt { proto.completedAt = FirestoreCodec.encode(time) }
        proto.byteCount = UInt64(clamping: report.byteCount)
        if let error = report.error { proto.failure = Self.encode(error) }
        return proto
    }

    func pins(_ body: RawSpan) throws(WireError) -> Event {
        let proto = try Self.read(ProtoWirePins.self, body)
        var reports: [PinReport] = []
        for pin in proto.pins { reports.append(try decode(pin)) }
        return .pins(reports, hasMore: proto.hasMore_p)
    }

    private func decode(_ proto: ProtoWirePins.Pin) throws(WireError) -> PinReport {
        let pin = Pin(
            id: Pin.ID(uid: proto.isConfigured ? nil : proto.uid, name: proto.name),
            query: try eventCodec().decodeTarget(proto.hasTarget, proto.target),
            freshness: try Self.freshness(proto.freshnessMilliseconds))
        var report = PinReport(pin: pin, state: try Self.decode(proto.state))
        if proto.hasCompletedAt {
            report.completedAt = try at("completed_at", FirestoreCodec.decode(proto.completedAt))
        }
        report.byteCount = Int(clamping: proto.byteCount)
        if proto.hasFailure { report.error = Self.decode(proto.failure) }
        return report
    }

    private static func decode(_ state: ProtoWirePins.State) throws(WireError) -> PinReport.State {
        switch state {
        case .waiting: .waiting
        case .inStep: .inStep
        case .fresh: .fresh
        case .stale: .stale
        case .stopped: .stopped
        case .UNRECOGNIZED(let number):
            throw .codec(CodecError(.unknown(value: "\(number)"), at: "state"))
        }
    }

    private static func milliseconds(_ freshness: Duration?) -> UInt64 {
        freshness.map { UInt64(clamping: Int64($0 / .milliseconds(1))) } ?? 0
    }

    private static func freshness(_ milliseconds: UInt64) throws(WireError) -> Duration? {
        guard milliseconds > 0 else { return nil }
        let freshness = Duration.milliseconds(Int64(clamping: milliseconds))
        guard freshness >= PinLimits.freshnessMin, freshness <= PinLimits.freshnessMax else {
            throw .refused(
                HearthError(
                    code: .invalidArgument,
                    message: "A pin is refreshed every second at most, and every "
                        + "\(PinLimits.freshnessMax.components.seconds) seconds at least; without a "
                        + "time it is watched."))
        }
        return freshness
    }

    private static func pinName(_ name: String) throws(WireError) -> String {
        let countMax = PinLimits.nameByteCountMax
        guard !name.isEmpty, name.utf8.count <= countMax, name.utf8.allSatisfy({ $0 >= 0x20 })
        else {
            throw .refused(
                HearthError(
                    code: .invalidArgument,
                    message: "A pin's name has 1 to \(countMax) bytes and no control characters."))
        }
        return name
    }
}
