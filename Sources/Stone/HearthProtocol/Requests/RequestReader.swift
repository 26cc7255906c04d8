package import HearthModel
package import SwiftProtobuf

/// Reads requests as strictly as the backend does.
///
/// Refuses wrong requests with the backend's messages, as `invalidArgument`.
///
/// The reader refuses content that HearthModel's values cannot hold; the backend refuses content by
/// its own rules. The reader shares no code for values and queries with the clients' codec, so an
/// error in one does not hide in the other.
package struct RequestReader {
    /// The database that the request is for.
    package let database: DatabaseID

    /// Reads requests for a database.
    package init(database: DatabaseID) {
        self.database = database
    }

    /// Reads a moment.
    package static func time(_ proto: Google_Protobuf_Timestamp) throws(HearthError) -> Timestamp {
        guard Timestamp.secondsRange.contains(proto.seconds),
            (0..<1_000_000_000).contains(proto.nanos)
        else {
            throw .argument(
                "Timestamp with \(proto.seconds) seconds and \(proto.nanos) nanoseconds is out of "
                    + "range.")
        }
        return Timestamp(seconds: proto.seconds, nanoseconds: proto.nanos)
    }

    /// Reads a field path.
    package static func fieldPath(_ text: String) throws(HearthError) -> FieldPath {
        do throws(CodecError) {
            return try FirestoreCodec.fieldPath(text)
        } catch {
            throw .argument(
                "Invalid property path \"\(text)\". Unquoted property paths must match regex "
                    + #"([a-zA-Z_][a-zA-Z_0-9]*), and quoted property paths must match regex "#
                    + #"(`(?:[^`\\]|(?:\\.))+`)"#)
        }
    }

    /// Reads paths in their order.
    package static func fieldPaths(_ texts: [String]) throws(HearthError) -> [FieldPath] {
        var paths: [FieldPath] = []
        for text in texts { paths.append(try fieldPath(text)) }
        return paths
    }

    /// Reads the mask of fields to answer; `nil` for all fields.
    package static func mask(
        _ isSet: Bool, _ proto: ProtoDocumentMask
    ) throws(HearthError) -> [FieldPath]? {
        isSet ? try fieldPaths(proto.fieldPaths) : nil
    }
}

/// Values.
extension RequestReader {
    /// Reads fields.
    package func fields(_ protos: [ProtoFieldsEntry]) throws(HearthError) -> MapValue {
        var entries: [MapValue.Entry] = []
        entries.reserveCapacity(protos.count)
        for proto in protos {
            entries.append(MapValue.Entry(key: proto.key, value: try value(proto.value)))
        }
        return MapValue(entries: entries)
    }

    /// Reads several values.
    package func values(_ protos: [ProtoValue]) throws(HearthError) -> [Value] {
        var result: [Value] = []
        result.reserveCapacity(protos.count)
        for proto in protos { result.append(try value(proto)) }
        return result
    }

    /// Reads a value. The reader cuts times to microseconds, as the backend does.
    package func value(_ proto: ProtoValue) throws(HearthError) -> Value {
        switch proto.valueType {
        case .nullValue: return .null
        case .booleanValue(let flag): return .boolean(flag)
        case .integerValue(let number): return .integer(number)
        case .doubleValue(let number): return .double(number)
        case .timestampValue(let time):
            return .timestamp(try Self.time(time).flooredToMicroseconds)
        case .stringValue(let text): return .string(text)
        case .bytesValue(let data): return .bytes(ProtoBytes.makeBytes(data))
        case .referenceValue(let name): return .reference(try NameReader.reference(name))
        case .geoPointValue(let point):
            return .geoPoint(GeoPoint(latitude: point.latitude, longitude: point.longitude))
        case .arrayValue(let array): return .array(try values(array.values))
        case .mapValue(let map): return .map(try fields(map.fields))
        case .fieldReferenceValue, .functionValue, .pipelineValue, .variableReferenceValue:
            throw .argument("Value type is only allowed in pipelines.")
        case nil:
            throw .argument("Cannot convert firestore.v1.Value with type unset.")
        }
    }
}
