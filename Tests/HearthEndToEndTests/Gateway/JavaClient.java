// A raw client of google.firestore.v1 that makes the calls that Google's Java client makes, with its headers,
// and the frames that grpc-java's Netty transport makes of them. It retries nothing.
//
// What is said here of the client was read in googleapis/java-firestore (GrpcFirestoreRpc,
// FirestoreStubSettings), gax-java and grpc-java (NettyClientHandler, AbstractNettyHandler, GrpcUtil).
// Headers are packed by the JDK's own packer, which uses the dynamic table as Netty's does.

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import jdk.internal.net.http.hpack.Decoder;
import jdk.internal.net.http.hpack.DecodingCallback;
import jdk.internal.net.http.hpack.Encoder;

// ---- Protobuf.

/** A message, written field by field. */
final class Message {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    Message number(int field, long value) {
        varint(field << 3);
        varint(value);
        return this;
    }

    Message bytes(int field, byte[] value) {
        varint(field << 3 | 2);
        varint(value.length);
        out.writeBytes(value);
        return this;
    }

    Message text(int field, String value) {
        return bytes(field, value.getBytes(StandardCharsets.UTF_8));
    }

    Message part(int field, Message value) { return bytes(field, value.toBytes()); }

    byte[] toBytes() { return out.toByteArray(); }

    private void varint(long value) {
        for (; (value & ~0x7FL) != 0; value >>>= 7) out.write((int) (value & 0x7F | 0x80));
        out.write((int) value);
    }
}

/** The fields of a message; a part is bytes until it is asked for. */
final class Fields {
    private final Map<Integer, List<Object>> all = new HashMap<>();

    Fields(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        while (in.hasRemaining()) {
            int key = (int) varint(in);
            Object value =
                switch (key & 7) {
                    case 0 -> varint(in);
                    case 1 -> take(in, 8);
                    case 2 -> take(in, (int) varint(in));
                    case 5 -> take(in, 4);
                    default -> throw new IllegalStateException("wire type " + (key & 7));
                };
            all.computeIfAbsent(key >>> 3, field -> new ArrayList<>()).add(value);
        }
    }

    boolean has(int field) { return all.containsKey(field); }

    int count(int field) { return all.getOrDefault(field, List.of()).size(); }

    long number(int field) { return has(field) ? (Long) all.get(field).get(0) : 0; }

    byte[] bytes(int field) { return has(field) ? (byte[]) all.get(field).get(0) : new byte[0]; }

    String text(int field) { return new String(bytes(field), StandardCharsets.UTF_8); }

    Fields part(int field) { return new Fields(bytes(field)); }

    List<Fields> parts(int field) {
        return all.getOrDefault(field, List.of()).stream()
            .map(part -> new Fields((byte[]) part)).toList();
    }

    private static long varint(ByteBuffer in) {
        long value = 0;
        for (int shift = 0; ; shift += 7) {
            byte next = in.get();
            value |= (long) (next & 0x7F) << shift;
            if (next >= 0) return value;
        }
    }

    private static byte[] take(ByteBuffer in, int count) {
        byte[] taken = new byte[count];
        in.get(taken);
        return taken;
    }
}

// ---- HTTP/2 as grpc-java's Netty transport speaks it.

/** An answer that is an error, with the reason of its ErrorInfo. */
final class CallError extends Exception {
    final int code;
    final String reason, domain;

    CallError(Map<String, String> trailers) {
        super("status " + trailers.get("grpc-status") + ": " + trailers.get("grpc-message"));
        code = Integer.parseInt(trailers.getOrDefault("grpc-status", "14"));
        String details = trailers.getOrDefault("grpc-status-details-bin", "");
        Fields status = new Fields(Base64.getDecoder().decode(details));
        Fields info = status.has(3) ? status.part(3).part(2) : new Fields(new byte[0]);
        reason = info.text(1);
        domain = info.text(2);
    }
}

/** One call: the stream, the messages' bytes so far, and the end. */
final class Call {
    final int stream;
    final Consumer<Fields> heard;
    final CompletableFuture<Void> end = new CompletableFuture<>();
    private byte[] rest = new byte[0];
    int unreturned;

    Call(int stream, Consumer<Fields> heard) {
        this.stream = stream;
        this.heard = heard;
    }

    void take(byte[] data) {
        byte[] all = Arrays.copyOf(rest, rest.length + data.length);
        System.arraycopy(data, 0, all, rest.length, data.length);
        int start = 0;
        while (all.length - start >= 5) {
            int length = ByteBuffer.wrap(all, start + 1, 4).getInt();
            if (all.length - start - 5 < length) break;
            heard.accept(new Fields(Arrays.copyOfRange(all, start + 5, start + 5 + length)));
            start += 5 + length;
        }
        rest = Arrays.copyOfRange(all, start, all.length);
    }

    void ended(Map<String, String> trailers) {
        if ("0".equals(trailers.get("grpc-status"))) end.complete(null);
        else end.completeExceptionally(new CallError(trailers));
    }

    void await() throws Exception {
        try {
            end.get(60, TimeUnit.SECONDS);
        } catch (ExecutionException error) {
            throw (Exception) error.getCause();
        }
    }
}

/** A connection of a channel, with Netty's settings, windows and pings. */
final class Connection {
    static final int DATA = 0, HEADERS = 1, RESET = 3, SETTINGS = 4, PING = 6, GOAWAY = 7;
    static final int WINDOW_UPDATE = 8, CONTINUATION = 9;
    static final int END_STREAM = 1, ACK = 1, END_HEADERS = 4, PADDED = 8, PRIORITY = 32;
    static final int WINDOW = 1 << 20;
    /** What Netty writes into the pings by which it measures the bandwidth. */
    static final long MEASURING = 1234;

    private final String authority;
    private final Socket socket;
    private final DataOutputStream out;
    private final Encoder encoder = new Encoder(4096);
    private final Decoder decoder = new Decoder(4096);
    private final Map<Integer, Call> calls = new ConcurrentHashMap<>();
    private int nextStream = 3, unreturned;
    private boolean isMeasuring;
    int answeredPingCount;

    Connection() throws IOException {
        authority = System.getenv("FIRESTORE_EMULATOR_HOST");
        int colon = authority.lastIndexOf(':');
        socket = new Socket(
            authority.substring(0, colon), Integer.parseInt(authority.substring(colon + 1)));
        socket.setTcpNoDelay(true);
        out = new DataOutputStream(socket.getOutputStream());
        ByteBuffer settings = ByteBuffer.allocate(24);
        settings.putShort((short) 2).putInt(0);  // No push.
        settings.putShort((short) 3).putInt(0);  // No streams of the server's own.
        settings.putShort((short) 4).putInt(WINDOW);
        settings.putShort((short) 6).putInt(8192);  // Headers.
        out.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
        write(SETTINGS, 0, 0, settings.array());
        returnWindow(0, WINDOW - 65_535);
        Thread reader = new Thread(this::read);
        reader.setDaemon(true);
        reader.start();
    }

    void close() throws IOException { socket.close(); }

    /** Begins a call; `heard` gets each message, on the reader's thread. */
    Call begin(String method, String routing, String timeout, Consumer<Fields> heard)
        throws IOException {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put(":authority", authority);
        headers.put(":path", "/google.firestore.v1.Firestore/" + method);
        headers.put(":method", "POST");
        headers.put(":scheme", "http");
        headers.put("content-type", "application/grpc");
        headers.put("te", "trailers");
        headers.put("user-agent", "gcloud-java/3.31.0 grpc-java-netty/1.70.0");
        headers.put("x-goog-api-client", "gl-java/17.0.15 gccl/3.31.0 gapic/3.31.0 gax/2.63.1 grpc/1.70.0");
        headers.put("google-cloud-resource-prefix", JavaStories.DATABASE);
        if (routing != null) headers.put("x-goog-request-params", routing);
        headers.put("authorization", "Bearer owner");
        headers.put("grpc-accept-encoding", "gzip");
        if (timeout != null) headers.put("grpc-timeout", timeout);
        synchronized (this) {
            Call call = new Call(nextStream, heard);
            nextStream += 2;
            calls.put(call.stream, call);
            write(HEADERS, END_HEADERS, call.stream, encode(headers));
            return call;
        }
    }

    void send(Call call, Message message, boolean isLast) throws IOException {
        byte[] bytes = message.toBytes();
        ByteBuffer framed = ByteBuffer.allocate(5 + bytes.length);
        framed.put((byte) 0).putInt(bytes.length).put(bytes);
        // Frames of no more than the peer reads at once; small enough messages need no window.
        for (int start = 0; start < framed.capacity(); start += 16_384) {
            int end = Math.min(start + 16_384, framed.capacity());
            int flags = isLast && end == framed.capacity() ? END_STREAM : 0;
            write(DATA, flags, call.stream, Arrays.copyOfRange(framed.array(), start, end));
        }
    }

    /** `ClientStream.closeSend`: the client says no more, and hears on. */
    void halfClose(Call call) throws IOException {
        write(DATA, END_STREAM, call.stream, new byte[0]);
    }

    /** The messages that answer a call of one request, within the client's fifty seconds. */
    List<Fields> call(String method, String routed, Message request) throws Exception {
        List<Fields> answers = new ArrayList<>();
        String routing =
            routed + "=" + URLEncoder.encode(
                routed.equals("parent") ? JavaStories.ROOT : JavaStories.DATABASE, StandardCharsets.UTF_8);
        Call call = begin(method, routing, "49999846u", answers::add);
        send(call, request, true);
        call.await();
        return answers;
    }

    private byte[] encode(Map<String, String> headers) {
        ByteBuffer block = ByteBuffer.allocate(8192);
        headers.forEach((name, value) -> {
            encoder.header(name, value);
            Expect.check(encoder.encode(block), "headers of more than 8 KiB");
        });
        return Arrays.copyOf(block.array(), block.position());
    }

    private synchronized void write(int type, int flags, int stream, byte[] payload)
        throws IOException {
        ByteBuffer frame = ByteBuffer.allocate(9 + payload.length);
        frame.putInt(payload.length << 8 | type).put((byte) flags).putInt(stream).put(payload);
        out.write(frame.array());
        out.flush();
    }

    private void returnWindow(int stream, int byteCount) throws IOException {
        write(WINDOW_UPDATE, 0, stream, ByteBuffer.allocate(4).putInt(byteCount).array());
    }

    private void read() {
        try {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            ByteArrayOutputStream block = new ByteArrayOutputStream();
            int opened = 0;  // Flags of the frame that began the block.
            while (true) {
                int head = in.readInt();
                int type = head & 0xFF, flags = in.readUnsignedByte();
                int stream = in.readInt() & Integer.MAX_VALUE;
                byte[] payload = new byte[head >>> 8];
                in.readFully(payload);
                switch (type) {
                    case HEADERS, CONTINUATION -> {
                        Expect.check((flags & (PADDED | PRIORITY)) == 0 || type != HEADERS, "padding");
                        if (type == HEADERS) opened = flags;
                        block.writeBytes(payload);
                        if ((flags & END_HEADERS) != 0) {
                            Map<String, String> headers = decode(block.toByteArray());
                            block.reset();
                            if ((opened & END_STREAM) != 0) ended(stream, headers);
                        }
                    }
                    case DATA -> received(calls.get(stream), payload, flags);
                    case RESET -> ended(stream, Map.of("grpc-message", "reset"));
                    case SETTINGS -> {
                        if ((flags & ACK) == 0) write(SETTINGS, ACK, 0, new byte[0]);
                    }
                    case PING -> ping(payload, flags);
                    default -> {}  // Windows for us are never short here; GOAWAY ends by itself.
                }
            }
        } catch (IOException gone) {
            for (Integer stream : calls.keySet()) {
                ended(stream, Map.of("grpc-message", "Network closed for unknown reason"));
            }
        }
    }

    private Map<String, String> decode(byte[] block) throws IOException {
        Map<String, String> headers = new TreeMap<>();
        DecodingCallback each = (name, value) -> headers.put(name.toString(), value.toString());
        decoder.decode(ByteBuffer.wrap(block), true, each);
        return headers;
    }

    private void ended(int stream, Map<String, String> trailers) {
        Call call = calls.remove(stream);
        if (call != null) call.ended(trailers);
    }

    /** Gives a window back when half of it is used up, and measures with one ping at a time. */
    private void received(Call call, byte[] data, int flags) throws IOException {
        if (!isMeasuring) {
            isMeasuring = true;
            write(PING, 0, 0, ByteBuffer.allocate(8).putLong(MEASURING).array());
        }
        unreturned += data.length;
        if (unreturned > WINDOW / 2) {
            returnWindow(0, unreturned);
            unreturned = 0;
        }
        if (call == null) return;
        call.take(data);
        call.unreturned += data.length;
        if (call.unreturned > WINDOW / 2 && (flags & END_STREAM) == 0) {
            returnWindow(call.stream, call.unreturned);
            call.unreturned = 0;
        }
    }

    private void ping(byte[] payload, int flags) throws IOException {
        if ((flags & ACK) == 0) {
            write(PING, ACK, 0, payload);
        } else {
            Expect.check(ByteBuffer.wrap(payload).getLong() == MEASURING, "another ping's answer");
            isMeasuring = false;
            answeredPingCount++;
        }
    }
}

/** What must hold. */
final class Expect {
    static void check(boolean holds, String what) {
        if (!holds) throw new AssertionError(what);
    }

    static void equal(Object found, Object wanted) {
        check(wanted.equals(found), "found " + found + ", wanted " + wanted);
    }

    private Expect() {}
}
