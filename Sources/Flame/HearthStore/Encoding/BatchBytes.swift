import HearthEngine
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
        do throws(CodecError) {
            return try codec.mutationBytes(mutations)
        } catch {
            throw .io("a batch of \(mutations.count) writes cannot be stored: \(error)")
        }
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

    /// Whether `writes` are `write` alone, apart from its precondition and transforms.
    static func isOnlyWrite(_ write: [UInt8], in writes: [UInt8]) -> Bool {
        let length = writes.prefix { $0 & 0x80 != 0 }.count + 1
        let end = length + write.count
        guard end <= writes.count, end == writes.count || writes[end] == preconditionTag else {
            return false
        }
        return writes[length..<end].elementsEqual(write)
    }

    /// The tag behind the operation and mask of `google.firestore.v1.Write`: field 4.
    private static let preconditionTag: UInt8 = 0x22

    /// Reads several writes.
    static func mutations(from bytes: UnsafeRawBufferPointer, _ codec: FirestoreCodec)
        throws(StoreError) -> [Mutation]
    {
        do throws(CodecError) {
            return try codec.mutations(fromBytes: bytes)
        } catch {
            throw .damaged(error.description)
        }
    }

    /// Reads one write.
    static func mutation(from bytes: UnsafeRawBufferPointer, _ codec: FirestoreCodec)
        throws(StoreError) -> Mutation
    {
        do throws(CodecError) {
            return try codec.mutation(fromBytes: bytes)
        } catch {
            throw .damaged(error.description)
        }
    }
}
