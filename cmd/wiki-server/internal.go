package main

import (
	"context"
	"net"

	"wiki/core/wiki"
	"wiki/server"
)

// listenInternal takes the operators' address; nil when it is off. Where nobody chose the address, one that is taken stops no
// server: a second one on a machine serves without, and says so.
func (a *app) listenInternal() (net.Listener, error) {
	const name = "internal-listen"
	if a.settings.Internal == internalOff {
		return nil, nil
	}
	l, err := a.take(name, a.settings.Internal, defaultInternal)
	if err != nil && a.source(name) == sourceDefault && wiki.ErrorCode(err) == wiki.CodeUnavailable {
		a.log.Warn("serving without metrics: choose their address with --"+name+", or "+internalOff, "error", err)
		return nil, nil
	}
	return l, err
}

// source says where a setting's value comes from.
func (a *app) source(name string) string {
	for _, f := range a.fields {
		if f.name == name {
			return f.source
		}
	}
	return ""
}

// serveInternal answers operators in the background until the function that it gives is called. A listener that breaks stops
// no server.
func (a *app) serveInternal(srv *server.Server, l net.Listener) (stop func()) {
	if l == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := srv.ServeInternal(ctx, l); err != nil {
			a.log.Error("the internal listener ended: no metrics from here on", "error", err)
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}
