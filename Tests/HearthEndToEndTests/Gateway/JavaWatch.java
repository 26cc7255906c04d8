import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** A listener as the Java client keeps it: a change is a document with another update time. */
final class Watch {
    static final List<Integer> PERMANENT = List.of(3, 5, 6, 7, 9, 10, 11, 12, 15);
    private static final int NO_CHANGE = 0, ADD = 1, REMOVE = 2, CURRENT = 3, RESET = 4;

    final CompletableFuture<Void> shownFirst = new CompletableFuture<>();
    volatile boolean hasHeard;
    private final Map<String, Document> shown = new HashMap<>();
    private final Map<String, Document> changed = new TreeMap<>();
    private byte[] resumeToken = new byte[0];
    private boolean isCurrent;

    /** Listens on a stream of its own, without a deadline and without routing. */
    Call listen(Connection connection) throws IOException {
        isCurrent = false;
        changed.clear();
        Message query = JavaStories.message().text(1, JavaStories.ROOT).part(2, JavaStories.query("rooms", null));
        Message target = JavaStories.message().part(2, query).number(5, 1);
        if (resumeToken.length > 0) target.bytes(4, resumeToken);
        Call call = connection.begin("Listen", null, null, this::take);
        connection.send(call, JavaStories.message().text(1, JavaStories.DATABASE).part(2, target), false);
        return call;
    }

    private void take(Fields answer) {
        hasHeard = true;
        if (answer.has(2)) turn(answer.part(2));
        if (answer.has(3)) {
            Document document = new Document(answer.part(3).part(1));
            changed.put(document.name(), document);
        }
        for (int gone : new int[] {4, 6}) {
            if (answer.has(gone)) changed.put(answer.part(gone).text(1), null);
        }
    }

    private void turn(Fields change) {
        switch ((int) change.number(1)) {
            case ADD -> Expect.check(change.bytes(2)[0] == 1, "another target was added");
            case REMOVE -> throw new AssertionError("the target was removed");
            case CURRENT -> isCurrent = true;
            case RESET -> {
                resumeToken = new byte[0];
                changed.clear();
                for (String known : shown.keySet()) changed.put(known, null);
                isCurrent = false;
            }
            case NO_CHANGE -> {
                if (change.has(2) || !change.has(6) || !isCurrent) return;
                show();
                resumeToken = change.bytes(4);
            }
            default -> throw new AssertionError("an unknown change of the target");
        }
    }

    private void show() {
        changed.forEach((path, document) -> {
            Document before = shown.get(path);
            if (document == null) {
                if (shown.remove(path) != null) tell("REMOVED", before);
            } else if (before == null || !before.updated().equals(document.updated())) {
                shown.put(path, document);
                tell(before == null ? "ADDED" : "MODIFIED", document);
            }
        });
        changed.clear();
        shownFirst.complete(null);
    }

    private void tell(String kind, Document document) {
        String last = document.name().substring(document.name().lastIndexOf('/') + 1);
        String state = document.updated().isPending() ? "pending" : "real";
        System.out.println(kind + " " + last + " " + document.number() + " " + state);
    }
}
