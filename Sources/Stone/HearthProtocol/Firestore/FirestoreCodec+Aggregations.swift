package import HearthModel
import SwiftProtobuf

extension FirestoreCodec {
    /// The message of an aggregation over a query. The query's parent travels beside it.
    ///
    /// - Throws: `CodecError` for a value in the query that no message can hold.
    package func encode(
        _ aggregations: [Aggregation], over query: StructuredQuery
    ) throws(CodecError) -> ProtoStructuredAggregationQuery {
        var proto = ProtoStructuredAggregationQuery()
        proto.structuredQuery = try encode(query)
        proto.aggregations = aggregations.map(Self.encode)
        return proto
    }

    /// Reads an aggregation over a query below a parent.
    ///
    /// - Throws: `CodecError` for a query or an aggregation that the codec cannot read.
    package func decode(
        _ proto: ProtoStructuredAggregationQuery, parent: ResourcePath
    ) throws(CodecError) -> (query: StructuredQuery, aggregations: [Aggregation]) {
        let query = try at("structured_query", decode(proto.structuredQuery, parent: parent))
        return (query, try Self.each("aggregations", proto.aggregations, Self.decode))
    }

    /// The message of an aggregation's results, with the alias of each number.
    ///
    /// - Throws: `CodecError` for a value that no message can hold.
    package func encode(aggregates: MapValue) throws(CodecError) -> ProtoAggregationResult {
        var proto = ProtoAggregationResult()
        proto.aggregateFields = try encode(aggregates)
        return proto
    }

    /// Reads an aggregation's results, with the alias of each number.
    ///
    /// - Throws: `CodecError` for a value that the codec cannot read.
    package func decode(_ proto: ProtoAggregationResult) throws(CodecError) -> MapValue {
        try at("aggregate_fields", decode(proto.aggregateFields))
    }

    private static func encode(
        _ aggregation: Aggregation
    ) -> ProtoStructuredAggregationQuery.Aggregation {
        var proto = ProtoStructuredAggregationQuery.Aggregation()
        proto.alias = aggregation.alias
        switch aggregation.operation {
        case .count(let upTo):
            proto.count = .init()
            if let upTo { proto.count.upTo = Google_Protobuf_Int64Value(upTo) }
        case .sum(let field): proto.sum.field = reference(to: field)
        case .average(let field): proto.avg.field = reference(to: field)
        }
        return proto
    }

    private static func decode(
        _ proto: ProtoStructuredAggregationQuery.Aggregation
    ) throws(CodecError) -> Aggregation {
        let operation: Aggregation.Operation
        switch proto.operator {
        case .count(let count):
            operation = .count(upTo: count.hasUpTo ? count.upTo.value : nil)
        case .sum(let sum):
            operation = .sum(try at("sum.field", fieldPath(sum.field.fieldPath)))
        case .avg(let average):
            operation = .average(try at("avg.field", fieldPath(average.field.fieldPath)))
        case nil:
            throw CodecError(.missing, at: "operator")
        }
        return Aggregation(alias: proto.alias, operation: operation)
    }
}
