/// The Realtime Database's client engine: takes inputs, decides, and returns what must be done.
package struct RealtimeEngine: Sendable {
}
