import SwiftProtobuf

/// Parts of backups.
extension WireCodec {
    static func encode(_ part: BackupPart) -> ProtoWireBackupPart {
        var proto = ProtoWireBackupPart()
        proto.bytes = part.data
        proto.hasMore_p = part.hasMore
        proto.byteCountExpected = UInt64(clamping: part.byteCountExpected)
        proto.database = part.database
        return proto
    }

    static func backupPart(_ body: RawSpan) throws(WireError) -> BackupPart {
        let proto = try read(ProtoWireBackupPart.self, body)
        return BackupPart(
            data: proto.bytes, hasMore: proto.hasMore_p,
            byteCountExpected: Int(clamping: proto.byteCountExpected), database: proto.database)
    }
}
