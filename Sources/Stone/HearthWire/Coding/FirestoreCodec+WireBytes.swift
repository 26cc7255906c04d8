import HearthModel
import HearthProtocol

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Generated messages hold bytes as `Data`, Hearth's values hold arrays. Only this file knows both.

extension ProtoWireLoadBundle {
    /// The data as an array.
    var bytes: [UInt8] {
        get { [UInt8](data) }
        set { data = Data(newValue) }
    }
}

extension ProtoWireBackupPart {
    /// The data as an array.
    var bytes: [UInt8] {
        get { [UInt8](data) }
        set { data = Data(newValue) }
    }
}

/// A message that carries nodes of the Realtime Database.
protocol NodeCarrying {
    /// The nodes, in the form of `NodeBytes`.
    var nodes: Data { get set }
}

extension ProtoWireViewNews: NodeCarrying {}
extension ProtoWireNodeAnswer: NodeCarrying {}
extension ProtoWireTransactionStep: NodeCarrying {}

extension NodeCarrying {
    /// The nodes as an array.
    var nodeBytes: [UInt8] {
        get { [UInt8](nodes) }
        set { nodes = Data(newValue) }
    }
}

extension ProtoWireNodeWrite {
    /// The node as an array.
    var nodeBytes: [UInt8] {
        get { [UInt8](node) }
        set { node = Data(newValue) }
    }
}

extension ProtoWirePropose {
    /// The node as an array.
    var nodeBytes: [UInt8] {
        get { [UInt8](node) }
        set { node = Data(newValue) }
    }
}

/// Documents and writes are bytes in the generated messages. The codec reads and writes the bytes
/// without a generated message.
extension FirestoreCodec {
    /// A document's bytes.
    func data(of document: Document) throws(CodecError) -> Data {
        Data(try documentBytes(document))
    }

    /// A write's bytes.
    func data(of mutation: Mutation) throws(CodecError) -> Data {
        Data(try mutationBytes(mutation))
    }

    /// Reads a document.
    func document(from data: Data) throws(CodecError) -> Document {
        let result = data.withUnsafeBytes { bytes in
            Result { () throws(CodecError) in try document(fromBytes: bytes) }
        }
        return try result.get()
    }

    /// Reads a write.
    func mutation(from data: Data) throws(CodecError) -> Mutation {
        let result = data.withUnsafeBytes { bytes in
            Result { () throws(CodecError) in try mutation(fromBytes: bytes) }
        }
        return try result.get()
    }
}
