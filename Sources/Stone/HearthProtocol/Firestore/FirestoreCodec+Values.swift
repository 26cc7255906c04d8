package import HearthModel
import SwiftProtobuf

extension FirestoreCodec {
    /// The message of a value.
    ///
    /// - Throws: `tooDeep`; `unsupported` for a pending server timestamp in mode `.wire`.
    package func encode(_ value: Value) throws(CodecError) -> ProtoValue {
        try encode(value, depth: 0)
    }

    /// The entries of a document's fields, in the order of their keys.
    ///
    /// - Throws: `tooDeep`; `unsupported` for a pending server timestamp in mode `.wire`.
    package func encode(_ fields: MapValue) throws(CodecError) -> [ProtoFieldsEntry] {
        try encode(fields, depth: 0)
    }

    /// Reads a value.
    ///
    /// - Throws: `CodecError` for a value that nests too deep or that the codec cannot read.
    package func decode(_ proto: ProtoValue) throws(CodecError) -> Value {
        try decode(proto, depth: 0)
    }

    /// Reads a document's fields; of two entries with one key, the later counts.
    ///
    /// - Throws: `CodecError` for a value that nests too deep or that the codec cannot read.
    /// - Complexity: O(n) if the keys come in order, else O(n log n).
    package func decode(_ fields: [ProtoFieldsEntry]) throws(CodecError) -> MapValue {
        try decode(fields, depth: 0)
    }

    func encode(_ elements: [Value], depth: Int = 0) throws(CodecError) -> ProtoArrayValue {
        guard depth < Self.nestingMax else { throw CodecError(.tooDeep) }
        var proto = ProtoArrayValue()
        proto.values.reserveCapacity(elements.count)
        for element in elements {
            proto.values.append(
                try at("\(proto.values.count)", encode(element, depth: depth + 1)))
        }
        return proto
    }

    func decode(_ proto: ProtoArrayValue, depth: Int = 0) throws(CodecError) -> [Value] {
        guard depth < Self.nestingMax else { throw CodecError(.tooDeep) }
        var elements: [Value] = []
        elements.reserveCapacity(proto.values.count)
        for element in proto.values {
            elements.append(
                try at("\(elements.count)", decode(element, depth: depth + 1)))
        }
        return elements
    }
}

extension FirestoreCodec {
    private func encode(_ value: Value, depth: Int) throws(CodecError) -> ProtoValue {
        var proto = ProtoValue()
        switch value {
        case .null: proto.nullValue = .nullValue
        case .boolean(let flag): proto.booleanValue = flag
        case .integer(let number): proto.integerValue = number
        case .double(let number): proto.doubleValue = number
        case .timestamp(let time): proto.timestampValue = Self.encode(time)
        case .serverTimestamp(let pending):
            return try encode(.map(try map(for: pending)), depth: depth)
        case .string(let text): proto.stringValue = text
        case .bytes(let bytes): proto.bytesValue = ProtoBytes.makeData(bytes)
        case .reference(let name): proto.referenceValue = self.name(of: name)
        case .geoPoint(let point):
            var latLng = ProtoLatLng()
            latLng.latitude = point.latitude
            latLng.longitude = point.longitude
            proto.geoPointValue = latLng
        case .array(let elements): proto.arrayValue = try encode(elements, depth: depth)
        case .map(let map):
            guard depth < Self.nestingMax else { throw CodecError(.tooDeep) }
            var mapValue = ProtoMapValue()
            mapValue.fields = try encode(map, depth: depth + 1)
            proto.mapValue = mapValue
        }
        return proto
    }

    private func encode(_ fields: MapValue, depth: Int) throws(CodecError) -> [ProtoFieldsEntry] {
        var entries: [ProtoFieldsEntry] = []
        entries.reserveCapacity(fields.count)
        for field in fields.entries {
            entries.append(
                Self.entry(field.key, try at(field.key, encode(field.value, depth: depth))))
        }
        return entries
    }

    private func decode(_ proto: ProtoValue, depth: Int) throws(CodecError) -> Value {
        switch proto.valueType {
        case .nullValue: return .null
        case .booleanValue(let flag): return .boolean(flag)
        case .integerValue(let number): return .integer(number)
        case .doubleValue(let number): return .double(number)
        case .timestampValue(let time): return .timestamp(try Self.decode(time))
        case .stringValue(let text): return .string(text)
        case .bytesValue(let bytes): return .bytes(ProtoBytes.makeBytes(bytes))
        case .referenceValue(let name): return .reference(try reference(fromName: name))
        case .geoPointValue(let latLng):
            return .geoPoint(
                try Self.checked(
                    GeoPoint(latitude: latLng.latitude, longitude: latLng.longitude)))
        case .arrayValue(let array): return .array(try decode(array, depth: depth))
        case .mapValue(let map):
            guard depth < Self.nestingMax else { throw CodecError(.tooDeep) }
            let fields = try decode(map.fields, depth: depth + 1)
            return try pending(in: fields).map(Value.serverTimestamp) ?? .map(fields)
        case .fieldReferenceValue, .variableReferenceValue, .functionValue, .pipelineValue:
            throw CodecError(.unsupported(reason: "only a pipeline has such values"))
        case nil:
            throw CodecError(.missing, at: "value_type")
        }
    }

    private func decode(_ fields: [ProtoFieldsEntry], depth: Int) throws(CodecError) -> MapValue {
        var entries: [MapValue.Entry] = []
        entries.reserveCapacity(fields.count)
        for field in fields {
            let value = try at(field.key, decode(field.value, depth: depth))
            entries.append(MapValue.Entry(key: field.key, value: value))
        }
        return MapValue(entries: entries)
    }
}

/// A server timestamp that is pending travels as a map, among ourselves only.
///
/// Shape: `__type__` = "server_timestamp", `__local_write_time__`, `__previous_value__` if any.
extension FirestoreCodec {
    private static let typeKey = "__type__"
    private static let pendingType = "server_timestamp"
    private static let localWriteTimeKey = "__local_write_time__"
    private static let previousValueKey = "__previous_value__"

    func map(for pending: PendingServerTimestamp) throws(CodecError) -> MapValue {
        guard mode == .local else {
            throw CodecError(.unsupported(reason: "the backend takes no pending server timestamp"))
        }
        var map: MapValue = [
            Self.typeKey: .string(Self.pendingType),
            Self.localWriteTimeKey: .timestamp(pending.localWriteTime),
        ]
        map[Self.previousValueKey] = pending.previousValue
        return map
    }

    func pending(in map: MapValue) throws(CodecError) -> PendingServerTimestamp? {
        guard mode == .local, (2...3).contains(map.count),
            case .string(Self.pendingType)? = map[Self.typeKey]
        else { return nil }
        guard case .timestamp(let time)? = map[Self.localWriteTimeKey] else {
            throw CodecError(.missing, at: Self.localWriteTimeKey)
        }
        return PendingServerTimestamp(
            localWriteTime: time, previousValue: map[Self.previousValueKey])
    }

    static func checked(_ point: GeoPoint) throws(CodecError) -> GeoPoint {
        guard point.isValid else {
            throw CodecError(.outOfRange(value: "\(point.latitude), \(point.longitude)"))
        }
        return point
    }

    private static func entry(_ key: String, _ value: ProtoValue) -> ProtoFieldsEntry {
        var entry = ProtoFieldsEntry()
        entry.key = key
        entry.value = value
        return entry
    }
}
