// What a program with Google's Java client meets while its machine is offline, story by story: the
// requests of that client in its order, by a raw client, for the client itself is in no registry that the
// tests may use.
//
// Usage: java --add-exports java.net.http/jdk.internal.net.http.hpack=ALL-UNNAMED -cp CLASSES JavaStories STEP
//
// FIRESTORE_EMULATOR_HOST names the gateway's port. Each step ends with 0 if every answer is as it
// should be. The test that starts the steps takes the backend away and gives it back in between.

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

public final class JavaStories {
    static final String DATABASE = "projects/demo/databases/(default)";
    static final String ROOT = DATABASE + "/documents";
    static final long REFUSAL_MILLISECONDS_MAX = 100;
    static final long PAUSE_MILLISECONDS = 50;
    static final int NOT_FOUND = 5, ALREADY_EXISTS = 6, FAILED_PRECONDITION = 9, UNAVAILABLE = 14;

    // ---- What the client's calls are made of.

    static Message message() { return new Message(); }

    static String name(String path) { return ROOT + "/" + path; }

    static Message document(String path, Message value) {
        Message field = message().text(1, "n").part(2, value);
        return message().text(1, name(path)).part(2, field);
    }

    static Message integer(long n) { return message().number(2, n); }

    static Message set(String path, long n) { return message().part(1, document(path, integer(n))); }

    static Message exists(boolean exists) { return message().number(1, exists ? 1 : 0); }

    static Message create(String path, long n) { return set(path, n).part(4, exists(false)); }

    static Message update(String path, long n, Message condition) {
        return set(path, n).part(3, message().text(1, "n")).part(4, condition);
    }

    static Message delete(String path) { return message().text(2, name(path)); }

    private final Connection connection = new Connection();

    private JavaStories() throws IOException {}

    private Time commit(Message write) throws Exception { return commit(List.of(write), null); }

    private Time commit(List<Message> writes, byte[] transaction) throws Exception {
        Message request = message().text(1, DATABASE);
        for (Message write : writes) request.part(2, write);
        if (transaction != null) request.bytes(3, transaction);
        Fields answer = connection.call("Commit", "database", request).get(0);
        Expect.equal(answer.count(1), writes.size());
        return writes.isEmpty() ? new Time(answer.part(2)) : new Time(answer.part(1).part(1));
    }

    /** One document, as `DocumentReference.get` asks for it; `null` for one that is missing. */
    private Document get(String path, byte[] transaction) throws Exception {
        Message request = message().text(1, DATABASE).text(2, name(path));
        if (transaction != null) request.bytes(4, transaction);
        for (Fields answer : connection.call("BatchGetDocuments", "database", request)) {
            if (answer.has(1)) return new Document(answer.part(1));
            if (answer.has(2)) return null;
        }
        throw new AssertionError("a document was neither found nor missing");
    }

    private Document get(String path) throws Exception { return get(path, null); }

    static Message query(String collection, Message where) {
        Message query = message().part(2, message().text(2, collection));
        return where == null ? query : query.part(3, message().part(2, where));
    }

    private List<Document> find(String collection, Message where) throws Exception {
        Message request = message().text(1, ROOT).part(2, query(collection, where));
        return connection.call("RunQuery", "parent", request).stream()
            .filter(answer -> answer.has(1)).map(answer -> new Document(answer.part(1))).toList();
    }

    private long count(String collection) throws Exception {
        Message count = message().part(1, message()).text(7, "aggregate_0");
        Message aggregation = message().part(1, query(collection, null)).part(3, count);
        Message request = message().text(1, ROOT).part(2, aggregation);
        Fields answer = connection.call("RunAggregationQuery", "parent", request).get(0);
        return answer.part(1).part(2).part(2).number(2);
    }

    /** The client asks for each transaction by itself, before any read. */
    private byte[] beginTransaction(Message options) throws Exception {
        Message request = message().text(1, DATABASE);
        if (options != null) request.part(2, options);
        return connection.call("BeginTransaction", "database", request).get(0).bytes(1);
    }

    private void rollBack(byte[] transaction) throws Exception {
        Message request = message().text(1, DATABASE).bytes(2, transaction);
        connection.call("Rollback", "database", request);
    }

    private void transact(String path) throws Exception {
        byte[] transaction = beginTransaction(null);
        long number = get(path, transaction).number();
        commit(List.of(update(path, number + 1, exists(true))), transaction);
    }

    interface Asking {
        void ask() throws Exception;
    }

    /** Makes a call that must be refused at once. */
    private CallError refused(int code, Asking asking) throws Exception {
        long began = System.nanoTime();
        try {
            asking.ask();
        } catch (CallError error) {
            long took = (System.nanoTime() - began) / 1_000_000;
            Expect.equal(error.code, code);
            Expect.check(took < REFUSAL_MILLISECONDS_MAX, "refused after " + took + " ms: " + error);
            return error;
        }
        throw new AssertionError("the call was not refused");
    }

    // ---- The steps. Before the backend goes.

    void prepare() throws Exception {
        for (String letter : List.of("a", "b", "c")) {
            Expect.check(commit(set("rooms/" + letter, 1)).isReal(), "a mark online");
        }
        Expect.equal(find("rooms", null).size(), 3);
        Document a = get("rooms/a");
        Expect.check(a.number() == 1 && a.updated().isReal(), "rooms/a");
        transact("rooms/c");
        Expect.equal(get("rooms/c").number(), 2L);
        // A transaction that only reads is committed, without writes.
        byte[] reading = beginTransaction(message().part(2, message()));
        Expect.equal(get("rooms/a", reading).number(), 1L);
        commit(List.of(), reading);
        // One that is tried again is rolled back, and names the last.
        byte[] first = beginTransaction(null);
        get("rooms/a", first);
        rollBack(first);
        byte[] second = beginTransaction(message().part(3, message().bytes(1, first)));
        get("rooms/a", second);
        rollBack(second);
        Expect.check(connection.answeredPingCount > 0, "no ping was answered");
    }

    /** Answers beyond Netty's window of a MiB, for the call and for the connection. */
    void large() throws Exception {
        String text = "x".repeat(900_000);
        for (int number = 0; number < 4; number++) {
            Message value = message().text(17, text);
            commit(message().part(1, document("large/" + number, value)));
        }
        large_cached();
    }

    /** The same answers again, from wherever they come. */
    void large_cached() throws Exception {
        for (int round = 0; round < 2; round++) {
            List<Document> found = find("large", null);
            Expect.equal(found.size(), 4);
            for (Document document : found) Expect.equal(document.text().length(), 900_000);
        }
    }

    // While the backend is away.

    void writes_show() throws Exception {
        Time written = commit(set("rooms/d", 4));
        Expect.check(written.isPending(), "a promised time bears no mark");
        Document d = get("rooms/d");
        Expect.equal(d.number(), 4L);
        Expect.equal(d.updated(), written);
        Expect.equal(d.created(), written);
        Message isGreater =
            message().part(1, message().text(2, "n")).number(2, 3).part(3, integer(3));
        Expect.equal(find("rooms", isGreater).stream().map(Document::name).toList(), List.of(name("rooms/d")));
        Expect.equal(find("rooms", null).size(), 4);
        Expect.equal(count("rooms"), 4L);
        Time later = commit(update("rooms/d", 5, exists(true)));
        Expect.check(later.compareTo(written) > 0, "a later write is not later");
    }

    void conditions_hold() throws Exception {
        get("rooms/a");
        refused(ALREADY_EXISTS, () -> commit(create("rooms/a", 0)));
        commit(create("rooms/e", 1));
        refused(ALREADY_EXISTS, () -> commit(create("rooms/e", 2)));
        commit(delete("rooms/e"));
        refused(NOT_FOUND, () -> commit(update("rooms/e", 2, exists(true))));
        Expect.check(get("rooms/e") == null, "a deleted document");
    }

    void unknown_is_no_absence() throws Exception {
        get("rooms/a");
        CallError unknown = refused(FAILED_PRECONDITION, () -> get("rooms/never-seen"));
        Expect.equal(List.of(unknown.reason, unknown.domain), List.of("HEARTH_NOT_CACHED", "hearth"));
        CallError whole = refused(FAILED_PRECONDITION, () -> find("halls", null));
        Expect.equal(whole.domain, "hearth");
    }

    void transactions_are_refused() throws Exception {
        get("rooms/a");
        CallError error = refused(FAILED_PRECONDITION, () -> transact("rooms/a"));
        Expect.equal(List.of(error.reason, error.domain), List.of("HEARTH_OFFLINE", "hearth"));
    }

    void full_queue_refuses() throws Exception {
        commit(set("rooms/d", 1));
        CallError error = refused(FAILED_PRECONDITION, () -> commit(set("rooms/d", 2)));
        Expect.equal(List.of(error.reason, error.domain), List.of("HEARTH_QUEUE_FULL", "hearth"));
    }

    /** Reads a document, and writes it if nobody has changed it since. */
    private void change(String path) throws Exception {
        Document document = get(path);
        Message condition = message().part(2, document.updated().toMessage());
        commit(update(path, document.number() + 10, condition));
    }

    void chained() throws Exception {
        change("rooms/b");
        change("rooms/b");
        Expect.equal(get("rooms/b").number(), 21L);
    }

    void pending_twice() throws Exception {
        commit(set("rooms/twice", 1));
        change("rooms/twice");
        change("rooms/twice");
    }

    void accept() throws Exception {
        commit(set("rooms/kept", 7));
        System.out.println("accepted");
    }

    void kept() throws Exception { Expect.equal(get("rooms/kept").number(), 7L); }

    /** A bulk writer's thousand, in requests of twenty. */
    void many() throws Exception {
        for (int first = 0; first < 1000; first += 20) {
            Message request = message().text(1, DATABASE);
            for (int number = first; number < first + 20; number++) {
                request.part(2, set("many/" + number, number));
            }
            Fields answer = connection.call("BatchWrite", "database", request).get(0);
            Expect.equal(answer.count(1), 20);
            for (Fields status : answer.parts(2)) Expect.equal(status.number(1), 0L);
        }
    }

    // When the backend is back.

    void landed() throws Exception {
        for (var wanted : Map.of("kept", 7L, "b", 21L, "d", 5L).entrySet()) {
            Document document = get("rooms/" + wanted.getKey());
            while (!document.updated().isReal()) {
                Thread.sleep(PAUSE_MILLISECONDS);
                document = get("rooms/" + wanted.getKey());
            }
            Expect.equal(document.number(), wanted.getValue());
        }
        transact("rooms/a");
        Expect.equal(get("rooms/a").number(), 2L);
    }

    /** A listener that is removed says no more, and the call ends. */
    void unlisten() throws Exception {
        Watch watch = new Watch();
        Call call = watch.listen(connection);
        watch.shownFirst.get(30, TimeUnit.SECONDS);
        connection.halfClose(call);
        call.await();
        Expect.equal(get("rooms/a").number(), 1L);  // The connection goes on.
    }

    /** Prints each event of a listener as it comes, until it is ended from outside. */
    void listen() throws Exception {
        Watch watch = new Watch();
        Connection current = connection;
        for (long delay = 0; ; delay = Math.min(Math.max(2 * delay, 1_000), 32_000)) {
            Thread.sleep(watch.hasHeard ? 0 : delay);
            if (watch.hasHeard) delay = 0;
            watch.hasHeard = false;
            try {
                if (current == null) current = new Connection();
                watch.listen(current).await();
            } catch (CallError error) {
                Expect.check(!Watch.PERMANENT.contains(error.code), "the listener was ended: " + error);
            } catch (IOException refused) {
                // Nobody answers at the port now.
            }
            if (current != null) current.close();
            current = null;
        }
    }

    public static void main(String[] arguments) throws Exception {
        JavaStories stories = new JavaStories();
        try {
            JavaStories.class.getDeclaredMethod(arguments[0]).invoke(stories);
        } catch (InvocationTargetException error) {
            error.getCause().printStackTrace();
            System.exit(1);
        }
        System.exit(0);
    }
}

record Time(long seconds, long nanos) implements Comparable<Time> {
    Time(Fields time) { this(time.number(1), time.number(2)); }

    boolean isPending() { return (nanos % 1000 & 1) == 1; }

    boolean isReal() { return nanos % 1000 == 0; }

    Message toMessage() { return JavaStories.message().number(1, seconds).number(2, nanos); }

    public int compareTo(Time other) {
        return seconds == other.seconds
            ? Long.compare(nanos, other.nanos) : Long.compare(seconds, other.seconds);
    }
}

record Document(String name, long number, String text, Time created, Time updated) {
    Document(Fields document) {
        this(
            document.text(1), value(document).number(2), value(document).text(17),
            new Time(document.part(3)), new Time(document.part(4)));
    }

    private static Fields value(Fields document) { return document.part(2).part(2); }
}
