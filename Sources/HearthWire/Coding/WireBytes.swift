#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Generated messages hold bytes as `Data`, our values as arrays. Only this file knows both.

extension ProtoWireLoadBundle {
    /// The data as an array.
    var bytes: [UInt8] {
        get { [UInt8](data) }
        set { data = Data(newValue) }
    }
}
