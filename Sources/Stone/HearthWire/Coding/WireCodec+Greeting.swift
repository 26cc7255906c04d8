import HearthModel
import HearthProtocol
import SwiftProtobuf

/// The messages that begin a session.
extension WireCodec {
    static func encode(_ hello: Hello) -> ProtoWireHello {
        var proto = ProtoWireHello()
        proto.versionMin = hello.versions.lowerBound
        proto.versionMax = hello.versions.upperBound
        proto.clientIDHigh = hello.client.high
        proto.clientIDLow = hello.client.low
        proto.program = hello.program
        proto.database = hello.database?.name ?? ""
        proto.databaseName = hello.databaseName ?? ""
        proto.answeredBelow = hello.answeredBelow
        return proto
    }

    static func decode(_ proto: ProtoWireHello) throws(WireError) -> Hello {
        guard proto.versionMin <= proto.versionMax else {
            throw .codec(CodecError(.outOfRange(value: "\(proto.versionMin)"), at: "version_min"))
        }
        let program = proto.program.utf8.prefix(WireLimits.programByteCountMax)
        return Hello(
            versions: proto.versionMin...proto.versionMax,
            client: Hello.Client(high: proto.clientIDHigh, low: proto.clientIDLow),
            program: String(decoding: program, as: UTF8.self),
            database: proto.database.isEmpty
                ? nil : try at("database", FirestoreCodec.database(fromName: proto.database)),
            databaseName: proto.databaseName.isEmpty
                ? nil : try at("database_name", databaseName(proto.databaseName)),
            answeredBelow: proto.answeredBelow)
    }

    /// A name that can stand in the full name of a database.
    private static func databaseName(_ name: String) throws(CodecError) -> String {
        try FirestoreCodec.database(fromName: "projects/-/databases/\(name)").database
    }

    static func encode(_ welcome: Welcome) -> ProtoWireWelcome {
        var proto = ProtoWireWelcome()
        proto.version = welcome.version
        proto.sessionID = welcome.sessionID
        proto.database = welcome.database.name
        proto.daemonVersion = welcome.daemonVersion
        proto.limits.frameByteCountMax = UInt32(clamping: welcome.limits.frameByteCountMax)
        proto.limits.listenerCountMax = UInt32(clamping: welcome.limits.listenerCountMax)
        proto.limits.requestCountMax = UInt32(clamping: welcome.limits.requestCountMax)
        if let setup = welcome.setup { proto.setup = encode(setup) }
        return proto
    }

    static func decode(_ proto: ProtoWireWelcome) throws(WireError) -> Welcome {
        Welcome(
            version: proto.version, sessionID: proto.sessionID,
            database: try at("database", FirestoreCodec.database(fromName: proto.database)),
            daemonVersion: proto.daemonVersion,
            limits: Welcome.Limits(
                frameByteCountMax: Int(proto.limits.frameByteCountMax),
                listenerCountMax: Int(proto.limits.listenerCountMax),
                requestCountMax: Int(proto.limits.requestCountMax)),
            setup: proto.hasSetup ? try decode(proto.setup) : nil)
    }

    private static func encode(_ setup: DaemonSetup) -> ProtoWireSetup {
        var proto = ProtoWireSetup()
        proto.upstream = setup.upstream
        proto.isEmulator = setup.isEmulator
        proto.isPersistent = setup.isPersistent
        switch setup.collection {
        case .leastUsed(let byteCountMax):
            proto.collection = .leastUsed
            proto.cacheByteCountMax = UInt64(clamping: byteCountMax)
        case .eager: proto.collection = .eager
        case .never: proto.collection = .never
        }
        return proto
    }

    private static func decode(_ proto: ProtoWireSetup) throws(WireError) -> DaemonSetup {
        let collection: DaemonSetup.Collection =
            switch proto.collection {
            case .leastUsed:
                .leastUsed(cacheByteCountMax: Int(clamping: proto.cacheByteCountMax))
            case .eager: .eager
            case .never: .never
            case .UNRECOGNIZED(let number):
                throw .codec(CodecError(.outOfRange(value: "\(number)"), at: "collection"))
            }
        return DaemonSetup(
            upstream: proto.upstream, isEmulator: proto.isEmulator,
            isPersistent: proto.isPersistent, collection: collection)
    }
}
