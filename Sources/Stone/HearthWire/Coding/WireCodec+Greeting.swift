import HearthEngine
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
        proto.answeredBelow = hello.answeredBelow
        switch hello.database {
        case .firestore(.standard): break
        case .firestore(.named(let name)): proto.databaseName = name
        case .firestore(.exactly(let database)): proto.database = database.name
        case .realtime(let choice):
            proto.service = .realtimeDatabase
            proto.instance =
                switch choice {
                case .standard: ""
                case .named(let name): name
                case .exactly(let instance): instance.description
                }
        }
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
            database: try database(of: proto), answeredBelow: proto.answeredBelow)
    }

    private static func database(of proto: ProtoWireHello) throws(WireError) -> Hello.Database {
        switch proto.service {
        case .realtimeDatabase: return .realtime(try at("instance", instance(proto.instance)))
        case .UNRECOGNIZED(let number):
            throw .codec(CodecError(.unknown(value: "\(number)"), at: "service"))
        case .firestore: break
        }
        if !proto.database.isEmpty {
            return .firestore(
                .exactly(try at("database", FirestoreCodec.database(fromName: proto.database))))
        }
        if proto.databaseName.isEmpty { return .firestore(.standard) }
        return .firestore(.named(try at("database_name", databaseName(proto.databaseName))))
    }

    /// Reads an instance's address, or its name beside the daemon's default instance.
    private static func instance(
        _ text: String
    ) throws(CodecError) -> Hello.Choice<InstanceID> {
        if text.isEmpty { return .standard }
        if let instance = InstanceID(url: text) { return .exactly(instance) }
        guard let instance = InstanceID(host: "localhost", name: text) else {
            throw CodecError(
                .badName(text, reason: "it is neither an address nor the name of an instance"))
        }
        return .named(instance.name)
    }

    /// A name that can stand in the full name of a database.
    private static func databaseName(_ name: String) throws(CodecError) -> String {
        try FirestoreCodec.database(fromName: "projects/-/databases/\(name)").database
    }

    static func encode(_ welcome: Welcome) -> ProtoWireWelcome {
        var proto = ProtoWireWelcome()
        proto.version = welcome.version
        proto.sessionID = welcome.sessionID
        (proto.database, proto.instance) = texts(of: welcome.database)
        proto.daemonVersion = welcome.daemonVersion
        proto.limits.frameByteCountMax = UInt32(clamping: welcome.limits.frameByteCountMax)
        proto.limits.listenerCountMax = UInt32(clamping: welcome.limits.listenerCountMax)
        proto.limits.requestCountMax = UInt32(clamping: welcome.limits.requestCountMax)
        if let setup = welcome.setup { proto.setup = encode(setup) }
        proto.storeGeneration = welcome.storeGeneration
        return proto
    }

    static func decode(_ proto: ProtoWireWelcome) throws(WireError) -> Welcome {
        Welcome(
            version: proto.version, sessionID: proto.sessionID,
            database: try at("database", key(database: proto.database, instance: proto.instance)),
            daemonVersion: proto.daemonVersion,
            limits: Welcome.Limits(
                frameByteCountMax: Int(proto.limits.frameByteCountMax),
                listenerCountMax: Int(proto.limits.listenerCountMax),
                requestCountMax: Int(proto.limits.requestCountMax)),
            setup: proto.hasSetup ? try decode(proto.setup) : nil,
            storeGeneration: proto.storeGeneration)
    }

    /// A database as the two fields that tell it; one of them is empty.
    static func texts(of key: EngineKey) -> (database: String, instance: String) {
        switch key {
        case .firestore(let database): (database.name, "")
        case .realtime(let instance): ("", instance.description)
        }
    }

    /// Reads the database that the two fields tell.
    static func key(database: String, instance: String) throws(CodecError) -> EngineKey {
        if instance.isEmpty { return .firestore(try FirestoreCodec.database(fromName: database)) }
        guard let id = InstanceID(url: instance) else {
            throw CodecError(.badName(instance, reason: "it is no address of an instance"))
        }
        return .realtime(id)
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
