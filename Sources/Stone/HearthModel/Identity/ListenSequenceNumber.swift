/// A logical time of the local cache, one for each transaction, for collecting the least used.
package typealias ListenSequenceNumber = Int64
