// What a program with Google's Go client meets while its machine is offline, story by story.
//
// Usage: offline_stories STEP
//
// FIRESTORE_EMULATOR_HOST names the gateway's socket. The steps are those of offline_stories.py.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const refusalTimeMax = 100 * time.Millisecond

var ctx = context.Background()

type fields = map[string]interface{}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func expect(holds bool, what string) {
	if !holds {
		panic(errors.New(what))
	}
}

// isPending tells whether a time is a promise.
func isPending(time time.Time) bool { return time.Nanosecond()%1000&1 == 1 }

func get(client *firestore.Client, path string) *firestore.DocumentSnapshot {
	snapshot, err := client.Doc(path).Get(ctx)
	must(err)
	return snapshot
}

func number(snapshot *firestore.DocumentSnapshot) int64 { return snapshot.Data()["n"].(int64) }

func set(client *firestore.Client, path string, n int) time.Time {
	result, err := client.Doc(path).Set(ctx, fields{"n": n})
	must(err)
	return result.UpdateTime
}

// refused makes a call that must be refused at once with a code, and returns the reason.
func refused(code codes.Code, ask func() error) string {
	began := time.Now()
	err := ask()
	took := time.Since(began)
	expect(status.Code(err) == code, fmt.Sprint("not refused as ", code, ": ", err))
	expect(took < refusalTimeMax, fmt.Sprint("refused after ", took, ": ", err))
	for _, detail := range status.Convert(err).Details() {
		if info, isInfo := detail.(*errdetails.ErrorInfo); isInfo && info.Domain == "hearth" {
			return info.Reason
		}
	}
	return ""
}

// transact adds one to a number in a transaction.
func transact(client *firestore.Client, path string) error {
	return client.RunTransaction(ctx, func(_ context.Context, t *firestore.Transaction) error {
		snapshot, err := t.Get(client.Doc(path))
		if err != nil {
			return err
		}
		return t.Set(client.Doc(path), fields{"n": number(snapshot) + 1})
	})
}

// Before the backend goes.

func prepare(client *firestore.Client) {
	for _, name := range []string{"a", "b", "c"} {
		expect(!isPending(set(client, "rooms/"+name, 1)), "a real time bears a mark")
	}
	rooms, err := client.Collection("rooms").Documents(ctx).GetAll()
	must(err)
	expect(len(rooms) == 3, "the rooms are not complete")
	must(transact(client, "rooms/c"))
	expect(number(get(client, "rooms/c")) == 2, "the transaction does not show")
}

// While the backend is away.

func writesShow(client *firestore.Client) {
	first := set(client, "rooms/d", 4)
	expect(isPending(first), "a promised time bears no mark")
	snapshot := get(client, "rooms/d")
	expect(number(snapshot) == 4, "the write does not show")
	expect(snapshot.UpdateTime.Equal(first) && snapshot.CreateTime.Equal(first), "other times")
	rooms := client.Collection("rooms")
	found, err := rooms.Where("n", ">", 3).Documents(ctx).GetAll()
	must(err)
	expect(len(found) == 1 && found[0].Ref.ID == "d", "the query does not show the write")
	later, err := client.Doc("rooms/d").Update(ctx, []firestore.Update{{Path: "n", Value: 5}})
	must(err)
	expect(later.UpdateTime.After(first), "a later write has no later time")
	expect(get(client, "rooms/d").CreateTime.Equal(first), "the creation has moved")
}

func conditionsHold(client *firestore.Client) {
	create := func(name string) error {
		_, err := client.Doc("rooms/"+name).Create(ctx, fields{"n": 0})
		return err
	}
	refused(codes.AlreadyExists, func() error { return create("a") })
	must(create("e"))
	refused(codes.AlreadyExists, func() error { return create("e") })
	_, err := client.Doc("rooms/e").Delete(ctx)
	must(err)
	refused(codes.NotFound, func() error {
		_, err := client.Doc("rooms/e").Update(ctx, []firestore.Update{{Path: "n", Value: 2}})
		return err
	})
	_, err = client.Doc("rooms/e").Get(ctx)
	expect(status.Code(err) == codes.NotFound, "what was deleted is there")
}

func unknownIsNoAbsence(client *firestore.Client) {
	reason := refused(codes.FailedPrecondition, func() error {
		_, err := client.Doc("rooms/never-seen").Get(ctx)
		return err
	})
	expect(reason == "HEARTH_NOT_CACHED", reason)
	reason = refused(codes.FailedPrecondition, func() error {
		_, err := client.Collection("halls").Documents(ctx).GetAll()
		return err
	})
	expect(reason != "", "a query that is not known has no reason")
}

func transactionsAreRefused(client *firestore.Client) {
	reason := refused(codes.FailedPrecondition, func() error { return transact(client, "rooms/a") })
	expect(reason == "HEARTH_OFFLINE", reason)
}

func fullQueueRefuses(client *firestore.Client) {
	set(client, "rooms/d", 1)
	reason := refused(codes.FailedPrecondition, func() error {
		_, err := client.Doc("rooms/d").Set(ctx, fields{"n": 2})
		return err
	})
	expect(reason == "HEARTH_QUEUE_FULL", reason)
}

// change reads a document, and writes it if nobody has changed it since.
func change(client *firestore.Client, path string) {
	snapshot := get(client, path)
	_, err := client.Doc(path).Update(
		ctx, []firestore.Update{{Path: "n", Value: number(snapshot) + 10}},
		firestore.LastUpdateTime(snapshot.UpdateTime))
	must(err)
}

func chained(client *firestore.Client) {
	change(client, "rooms/b")
	change(client, "rooms/b")
	expect(number(get(client, "rooms/b")) == 21, "the changes do not show")
}

func pendingTwice(client *firestore.Client) {
	set(client, "rooms/twice", 1)
	change(client, "rooms/twice")
	change(client, "rooms/twice")
}

func accept(client *firestore.Client) {
	set(client, "rooms/kept", 7)
	fmt.Println("accepted")
}

func kept(client *firestore.Client) {
	expect(number(get(client, "rooms/kept")) == 7, "the write is gone")
}

func many(client *firestore.Client) {
	failures := make(chan error)
	for place := 0; place < 50; place++ {
		go func(place int) {
			for n := place; n < 1000; n += 50 {
				_, err := client.Doc(fmt.Sprintf("many/%04d", n)).Set(ctx, fields{"n": n})
				failures <- err
			}
		}(place)
	}
	for count := 0; count < 1000; count++ {
		must(<-failures)
	}
}

// When the backend is back.

func landed(client *firestore.Client) {
	deadline := time.Now().Add(30 * time.Second)
	for isPending(get(client, "rooms/kept").UpdateTime) {
		expect(time.Now().Before(deadline), "the queue was not drained")
		time.Sleep(50 * time.Millisecond)
	}
	expect(number(get(client, "rooms/b")) == 21, "the changes are lost")
	expect(number(get(client, "rooms/d")) == 5, "the writes are lost")
	for _, name := range []string{"b", "d", "kept"} {
		expect(!isPending(get(client, "rooms/"+name).UpdateTime), name)
	}
	must(transact(client, "rooms/a"))
	expect(number(get(client, "rooms/a")) == 2, "the transaction does not show")
}

func listen(client *firestore.Client) {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	kinds := []string{"ADDED", "REMOVED", "MODIFIED"}
	snapshots := client.Collection("rooms").Snapshots(ctx)
	for {
		snapshot, err := snapshots.Next()
		must(err)
		for _, change := range snapshot.Changes {
			state := "real"
			if change.Kind != firestore.DocumentRemoved && isPending(change.Doc.UpdateTime) {
				state = "pending"
			}
			fmt.Println(kinds[change.Kind], change.Doc.Ref.ID, change.Doc.Data()["n"], state)
		}
	}
}

func listenOne(client *firestore.Client) {
	snapshots := client.Doc("rooms/a").Snapshots(ctx)
	defer snapshots.Stop()
	for {
		snapshot, err := snapshots.Next()
		must(err)
		if !snapshot.Exists() {
			fmt.Println("gone")
			return
		}
		state := "real"
		if isPending(snapshot.UpdateTime) {
			state = "pending"
		}
		fmt.Println(snapshot.Ref.ID, number(snapshot), state)
	}
}

func main() {
	client, err := firestore.NewClient(ctx, "demo")
	must(err)
	steps := map[string]func(*firestore.Client){
		"prepare": prepare, "writes_show": writesShow, "conditions_hold": conditionsHold,
		"unknown_is_no_absence": unknownIsNoAbsence,
		"transactions_are_refused": transactionsAreRefused,
		"full_queue_refuses": fullQueueRefuses, "chained": chained,
		"pending_twice": pendingTwice, "accept": accept, "kept": kept, "many": many,
		"landed": landed, "listen": listen, "listen_one": listenOne,
	}
	steps[os.Args[1]](client)
}
