import HearthFirestore
import HearthModel
import HearthProtocol

/// Writes one after the other.
///
/// Shape: for each, length varint | google.firestore.v1.Write. A pending server timestamp inside
/// is the map of `FirestoreCodec.Mode.local`.
enum BatchBytes {
    /// The bytes of several writes.
    static func bytes(of mutations: [Mutation], _ codec: FirestoreCodec) throws(StoreError)
        -> [UInt8]
    {
        var result: [UInt8] = []
        for mutation in mutations {
            let bytes = try Self.bytes(of: mutation, codec)
            var length = bytes.count
            while length > 0x7F {
                result.append(UInt8(length & 0x7F) | 0x80)
                length >>= 7
            }
            result.append(UInt8(length))
            result.append(contentsOf: bytes)
        }
        return result
    }

    /// The bytes of one write.
    static func bytes(of mutation: Mutation, _ codec: FirestoreCodec) throws(StoreError)
        -> [UInt8]
    {
        do throws(CodecError) {
            return try codec.mutationBytes(mutation)
        } catch {
            throw .io("a write to \(mutation.key) cannot be stored: \(error)")
        }
    }

    /// Reads several writes.
    static func mutations(from bytes: UnsafeRawBufferPointer, _ codec: FirestoreCodec)
        throws(StoreError) -> [Mutation]
    {
        var result: [Mutation] = []
        var cursor = ProtoCursor(bytes)
        while !cursor.isAtEnd { result.append(try mutation(from: try cursor.bytes(), codec)) }
        return result
    }

    /// Reads one write.
    static func mutation(from bytes: UnsafeRawBufferPointer, _ codec: FirestoreCodec)
        throws(StoreError) -> Mutation
    {
        do throws(CodecError) {
            return try codec.mutation(fromBytes: [UInt8](bytes))
        } catch {
            throw .damaged(error.description)
        }
    }
}
