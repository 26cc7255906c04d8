import HearthModel
import HearthProtocol

/// The messages of requests that go to the backend past the queue (transactions, numbers), and of
/// bundles to build.
extension WireCodec {
    // MARK: Transactions

    func encode(reading keys: [DocumentKey]) throws(WireError) -> ProtoWireReadDocuments {
        var proto = ProtoWireReadDocuments()
        proto.documents = keys.map(try requestCodec().name(of:))
        return proto
    }

    func documentsToRead(_ body: RawSpan) throws(WireError) -> [DocumentKey] {
        let codec = try requestCodec()
        let proto = try Self.read(ProtoWireReadDocuments.self, body)
        return try each("documents", proto.documents) { name throws(CodecError) in
            try codec.key(fromName: name)
        }
    }

    func encode(committing mutations: [Mutation]) throws(WireError) -> ProtoWireCommit {
        let codec = try requestCodec()
        var proto = ProtoWireCommit()
        proto.writes = try each("writes", mutations) { mutation throws(CodecError) in
            try codec.data(of: mutation)
        }
        return proto
    }

    func writesToCommit(_ body: RawSpan) throws(WireError) -> [Mutation] {
        let codec = try requestCodec()
        let proto = try Self.read(ProtoWireCommit.self, body)
        guard !proto.writes.isEmpty else { throw .codec(CodecError(.missing, at: "writes")) }
        return try each("writes", proto.writes) { data throws(CodecError) in
            try codec.mutation(from: data)
        }
    }

    func encode(_ documents: [Document]) throws(WireError) -> ProtoWireDocuments {
        let codec = try eventCodec()
        var proto = ProtoWireDocuments()
        proto.found = try each("found", documents.filter(\.isFound)) {
            document throws(CodecError) in try codec.data(of: document)
        }
        proto.missing = documents.filter { !$0.isFound }.map { codec.name(of: $0.key) }
        return proto
    }

    /// Reads documents. A missing document gets no version, because a transaction only needs to
    /// know that the document is missing.
    func documents(_ body: RawSpan) throws(WireError) -> [Document] {
        let codec = try eventCodec()
        let proto = try Self.read(ProtoWireDocuments.self, body)
        let found = try each("found", proto.found) { data throws(CodecError) in
            try codec.document(from: data)
        }
        let missing = try each("missing", proto.missing) { name throws(CodecError) in
            Document.missing(try codec.key(fromName: name), at: .zero)
        }
        return found + missing
    }

    func committed(_ body: RawSpan) throws(WireError) -> Event.Committed {
        let proto = try Self.read(ProtoWireCommitted.self, body)
        return Event.Committed(
            committedAt: SnapshotVersion(
                try at("commit_time", FirestoreCodec.decode(proto.commitTime))),
            updateTimes: try each("update_times", proto.updateTimes) { time throws(CodecError) in
                SnapshotVersion(try FirestoreCodec.decode(time))
            })
    }

    // MARK: Numbers

    func encode(_ aggregate: AggregateRequest) throws(WireError) -> ProtoWireAggregate {
        var proto = ProtoWireAggregate()
        proto.query = try requestCodec().encodeQueryTarget(aggregate.query)
        proto.aggregations = aggregate.aggregations.map(Self.encode)
        proto.source = Self.encode(aggregate.source)
        return proto
    }

    func aggregate(_ body: RawSpan) throws(WireError) -> AggregateRequest {
        let codec = try requestCodec()
        let proto = try Self.read(ProtoWireAggregate.self, body)
        guard proto.hasQuery else { throw .codec(CodecError(.missing, at: "query")) }
        return AggregateRequest(
            query: try codec.decode(proto.query),
            aggregations: try each("aggregations", proto.aggregations) {
                aggregation throws(CodecError) in try Self.decode(aggregation)
            }, source: try Self.decode(proto.source))
    }

    private static func encode(_ aggregation: Aggregation) -> ProtoWireAggregation {
        var proto = ProtoWireAggregation()
        proto.alias = aggregation.alias
        switch aggregation.operation {
        case .count(let most): proto.count.upTo = most ?? 0
        case .sum(let field): proto.sumOf = field.description
        case .average(let field): proto.averageOf = field.description
        }
        return proto
    }

    private static func decode(_ proto: ProtoWireAggregation) throws(CodecError) -> Aggregation {
        let operation: Aggregation.Operation =
            switch proto.operator {
            case .count(let count): .count(upTo: count.upTo > 0 ? count.upTo : nil)
            case .sumOf(let field): .sum(try FirestoreCodec.fieldPath(field))
            case .averageOf(let field): .average(try FirestoreCodec.fieldPath(field))
            case nil: throw CodecError(.missing, at: "operator")
            }
        return Aggregation(alias: proto.alias, operation: operation)
    }

    static func encode(_ numbers: AggregateResult) throws(WireError) -> ProtoWireNumbers {
        var proto = ProtoWireNumbers()
        proto.numbers = try each("numbers", numbers.values.entries) { entry throws(CodecError) in
            var number = ProtoWireNumbers.Number()
            number.alias = entry.key
            switch entry.value {
            case .null: break
            case .integer(let whole): number.integerValue = whole
            case .double(let double): number.doubleValue = double
            case .boolean, .timestamp, .serverTimestamp, .string, .bytes, .reference, .geoPoint,
                .array, .map:
                throw CodecError(.unknown(value: "no number"), at: "value")
            }
            return number
        }
        proto.isFromCache = numbers.isFromCache
        proto.hasPendingWrites_p = numbers.hasPendingWrites
        return proto
    }

    static func decode(_ proto: ProtoWireNumbers) throws(WireError) -> AggregateResult {
        AggregateResult(
            values: MapValue(
                proto.numbers.map { number in
                    switch number.value {
                    case .integerValue(let whole): (number.alias, .integer(whole))
                    case .doubleValue(let double): (number.alias, .double(double))
                    case nil: (number.alias, .null)
                    }
                }), isFromCache: proto.isFromCache, hasPendingWrites: proto.hasPendingWrites_p)
    }

    static func encode(_ source: ReadSource) -> ProtoWireGet.Source {
        switch source {
        case .default: .default
        case .server: .server
        case .cache: .cache
        }
    }

    static func decode(_ proto: ProtoWireGet.Source) throws(WireError) -> ReadSource {
        switch proto {
        case .default: .default
        case .server: .server
        case .cache: .cache
        case .UNRECOGNIZED(let number):
            throw .codec(CodecError(.unknown(value: "\(number)"), at: "source"))
        }
    }

    // MARK: Bundles

    func encode(_ order: BundleOrder) throws(WireError) -> ProtoWireBuildBundle {
        let codec = try requestCodec()
        var proto = ProtoWireBuildBundle()
        proto.id = order.id
        for entry in order.queries {
            var message = ProtoWireBuildBundle.Entry()
            message.name = entry.name
            message.query = try codec.encodeQueryTarget(entry.query)
            proto.queries.append(message)
        }
        proto.documents = order.documents.map(codec.name(of:))
        return proto
    }

    func bundleOrder(_ body: RawSpan) throws(WireError) -> BundleOrder {
        let codec = try requestCodec()
        let proto = try Self.read(ProtoWireBuildBundle.self, body)
        var queries: [BundleOrder.Entry] = []
        for message in proto.queries {
            queries.append(.init(name: message.name, query: try codec.decode(message.query)))
        }
        return BundleOrder(
            id: proto.id, queries: queries,
            documents: try each("documents", proto.documents) { name throws(CodecError) in
                try codec.key(fromName: name)
            })
    }
}
