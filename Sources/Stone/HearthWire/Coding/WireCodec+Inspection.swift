import HearthEngine
import HearthModel
import HearthProtocol

extension WireCodec {
    static func encode(
        _ subject: Inspection.Subject, after place: Inspection.Place
    ) -> ProtoWireInspect {
        var proto = ProtoWireInspect()
        proto.afterSession = place.session
        proto.afterRow = place.row
        proto.subject =
            switch subject {
            case .metrics: .metrics
            case .clients: .clients
            case .listeners: .listeners
            case .databases: .databases
            case .hour: .hour
            }
        return proto
    }

    static func decode(_ proto: ProtoWireInspect) throws(WireError) -> Inquiry {
        let place = Inspection.Place(session: proto.afterSession, row: proto.afterRow)
        switch proto.subject {
        case .metrics: return .inspection(.metrics)
        case .clients: return .inspection(.clients, after: place)
        case .listeners: return .inspection(.listeners, after: place)
        case .databases: return .inspection(.databases)
        case .hour: return .inspection(.hour)
        case .unspecified, .UNRECOGNIZED: throw .codec(CodecError(.missing, at: "subject"))
        }
    }

    static func encode(_ inspection: Inspection) -> ProtoWireInspection {
        var proto = ProtoWireInspection()
        proto.metrics = inspection.metrics
        proto.clients = inspection.clients.map { client in
            var proto = ProtoWireConnectedClient()
            proto.sessionID = client.session
            proto.process = encode(client.process)
            if let key = client.database { (proto.database, proto.instance) = texts(of: key) }
            proto.listenerCount = UInt32(clamping: client.listenerCount)
            proto.connectedSeconds = UInt64(clamping: client.age.components.seconds)
            proto.heldByteCount = UInt64(clamping: client.heldByteCount)
            proto.writeCount = UInt64(clamping: client.traffic.writeCount)
            proto.receivedByteCount = UInt64(clamping: client.traffic.receivedByteCount)
            proto.sentByteCount = UInt64(clamping: client.traffic.sentByteCount)
            return proto
        }
        proto.listeners = inspection.listeners.map { listener in
            var proto = ProtoWireActiveListener()
            proto.sessionID = listener.session
            proto.process = encode(listener.process)
            if let key = listener.database { (proto.database, proto.instance) = texts(of: key) }
            proto.query = listener.query
            return proto
        }
        proto.databases = inspection.databases.map { encode($0) }
        proto.hour = inspection.hour.map { encode($0) }
        if let place = inspection.next {
            proto.nextSession = place.session
            proto.nextRow = place.row
        }
        return proto
    }

    static func decode(_ proto: ProtoWireInspection) throws(WireError) -> Inspection {
        var inspection = Inspection()
        inspection.metrics = proto.metrics
        inspection.clients = try each("clients", proto.clients) { client throws(CodecError) in
            var decoded = Inspection.Client(
                session: client.sessionID, process: decode(client.process),
                database: try database(client.database, client.instance),
                listenerCount: Int(client.listenerCount),
                age: .seconds(Int64(clamping: client.connectedSeconds)))
            decoded.heldByteCount = Int(clamping: client.heldByteCount)
            decoded.traffic.writeCount = Int(clamping: client.writeCount)
            decoded.traffic.receivedByteCount = Int(clamping: client.receivedByteCount)
            decoded.traffic.sentByteCount = Int(clamping: client.sentByteCount)
            return decoded
        }
        inspection.listeners = try each("listeners", proto.listeners) {
            listener throws(CodecError) in
            Inspection.Listener(
                session: listener.sessionID, process: decode(listener.process),
                database: try database(listener.database, listener.instance),
                query: listener.query)
        }
        for report in proto.databases {
            inspection.databases.append(try decode(report))
        }
        inspection.hour = try each("hour", proto.hour) { step throws(CodecError) in
            try decode(step)
        }
        if proto.nextSession > 0 {
            inspection.next = Inspection.Place(session: proto.nextSession, row: proto.nextRow)
        }
        return inspection
    }

    private static func database(
        _ name: String, _ instance: String
    ) throws(CodecError) -> EngineKey? {
        name.isEmpty && instance.isEmpty ? nil : try key(database: name, instance: instance)
    }

    static func encode(_ writer: Writer) -> ProtoWireWriter {
        var proto = ProtoWireWriter()
        proto.uid = writer.uid
        proto.gid = writer.gid
        proto.pid = writer.pid
        proto.unit = writer.unit ?? ""
        proto.program = writer.program ?? ""
        return proto
    }

    static func decode(_ proto: ProtoWireWriter) -> Writer {
        Writer(
            uid: proto.uid, gid: proto.gid, pid: proto.pid,
            unit: proto.unit.isEmpty ? nil : proto.unit,
            program: proto.program.isEmpty ? nil : proto.program)
    }
}
