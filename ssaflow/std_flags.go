package ssaflow

import (
	"go/types"
	"strings"
)

// Effects of the standard library on the outside world are told by name: computed from source, almost everything takes a lock
// or starts a goroutine somewhere below. What is not listed has none. A goroutine counts where it runs code of the program.

// stdEffects is the list for one package: words "effect=Name,Type.Method,Type.*,*" of which a name that is spelled out wins over
// a star. "none=…" excepts names from a star.
func stdEffects(path string) string {
	switch path {
	case "archive/zip":
		return "io=OpenReader,ReadCloser.Close global=RegisterCompressor,RegisterDecompressor"
	case "context":
		return "clock=WithTimeout,WithTimeoutCause,WithDeadline,WithDeadlineCause goroutine=AfterFunc"
	case "crypto/dsa":
		return "rand=GenerateKey,GenerateParameters,Sign"
	case "crypto/ecdsa":
		return "rand=GenerateKey,Sign,SignASN1,PrivateKey.Sign"
	case "crypto/ed25519", "crypto/elliptic":
		return "rand=GenerateKey"
	case "crypto/mlkem":
		return "rand=GenerateKey768,GenerateKey1024,EncapsulationKey768.Encapsulate,EncapsulationKey1024.Encapsulate"
	case "crypto/rsa":
		return "rand=GenerateKey,GenerateMultiPrimeKey,SignPKCS1v15,SignPSS,EncryptOAEP,EncryptPKCS1v15,PrivateKey.Sign"
	case "crypto":
		return "global=RegisterHash"
	case "crypto/rand":
		return "rand=*"
	case "crypto/tls":
		return "io=Dial,DialWithDialer,Dialer.*,Listen,LoadX509KeyPair,Conn.* none=Conn.ConnectionState,Conn.NetConn"
	case "crypto/x509":
		return "io=SystemCertPool,Certificate.Verify"
	case "database/sql":
		return "io=DB.*,Conn.*,Tx.*,Stmt.*,Rows.*,Row.*,Open none=DB.Driver,DB.Stats,Rows.Columns,Row.Err,Rows.Err global=Register"
	case "debug/buildinfo":
		return "io=ReadFile"
	case "debug/elf", "debug/pe", "debug/plan9obj":
		return "io=Open,File.Close"
	case "debug/macho":
		return "io=Open,OpenFat,File.Close,FatFile.Close"
	case "encoding/gob":
		return "global=Register,RegisterName"
	case "expvar":
		return "global=Publish,NewInt,NewFloat,NewString,NewMap"
	case "flag":
		return "env=Parse,Parsed,Arg,Args,NArg,NFlag,Lookup global=Parse,Bool,BoolVar,BoolFunc,Duration,DurationVar,Float64,Float64Var,Func,Int,IntVar,Int64,Int64Var," +
			"Set,String,StringVar,TextVar,Uint,UintVar,Uint64,Uint64Var,Var print=PrintDefaults"
	case "fmt":
		return "print=Print,Printf,Println io=Scan,Scanf,Scanln"
	case "go/build":
		return "io=Import,ImportDir,Context.Import,Context.ImportDir,Context.MatchFile env=ArchChar"
	case "go/importer":
		return "io=*"
	case "go/parser":
		return "io=ParseFile,ParseDir"
	case "hash/maphash":
		return "rand=MakeSeed,Hash.Sum64,Hash.Seed,Hash.Write,Hash.WriteString,Hash.WriteByte,Hash.Sum,Hash.Reset"
	case "html/template", "text/template":
		return "io=ParseFiles,ParseGlob,Template.ParseFiles,Template.ParseGlob"
	case "image":
		return "global=RegisterFormat"
	case "io/fs":
		return "io=Glob,ReadDir,ReadFile,Stat,Lstat,ReadLink,WalkDir,FS.Open,GlobFS.Glob,ReadDirFS.ReadDir,ReadFileFS.ReadFile,StatFS.Stat,File.Stat,File.Read," +
			"File.Close,ReadDirFile.ReadDir,DirEntry.Info"
	case "io":
		return "io=Reader.Read,Writer.Write,StringWriter.WriteString,ByteReader.ReadByte,ByteWriter.WriteByte,RuneReader.ReadRune,Closer.Close,Seeker.Seek," +
			"ReaderAt.ReadAt,WriterAt.WriteAt,ReaderFrom.ReadFrom,WriterTo.WriteTo,ByteScanner.UnreadByte,RuneScanner.UnreadRune " +
			"lock=PipeReader.*,PipeWriter.* channel=PipeReader.*,PipeWriter.*"
	case "io/ioutil":
		return "io=ReadDir,ReadFile,TempDir,TempFile,WriteFile rand=TempDir,TempFile"
	case "iter":
		return "goroutine=Pull,Pull2"
	case "log":
		return "print=* none=New,Default,Flags,Prefix,Writer,Logger.Flags,Logger.Prefix,Logger.Writer,SetOutput,SetFlags,SetPrefix," +
			"Logger.SetOutput,Logger.SetFlags,Logger.SetPrefix global=SetOutput,SetFlags,SetPrefix"
	case "log/slog":
		return "print=Debug,DebugContext,Error,ErrorContext,Info,InfoContext,Log,LogAttrs,Warn,WarnContext,Logger.Debug,Logger.DebugContext,Logger.Error," +
			"Logger.ErrorContext,Logger.Info,Logger.InfoContext,Logger.Log,Logger.LogAttrs,Logger.Warn,Logger.WarnContext,Handler.Handle,TextHandler.Handle," +
			"JSONHandler.Handle,MultiHandler.Handle global=SetDefault,SetLogLoggerLevel"
	case "log/syslog":
		return "io=*"
	case "math/rand":
		return "rand=ExpFloat64,Float32,Float64,Int,Int31,Int31n,Int63,Int63n,Intn,NormFloat64,Perm,Read,Shuffle,Uint32,Uint64 global=Seed"
	case "math/rand/v2":
		return "rand=ExpFloat64,Float32,Float64,Int,Int32,Int32N,Int64,Int64N,IntN,N,NormFloat64,Perm,Shuffle,Uint,Uint32,Uint32N,Uint64,Uint64N,UintN"
	case "mime":
		return "io=TypeByExtension,ExtensionsByType global=AddExtensionType"
	case "net":
		return "io=Dial,DialIP,DialTCP,DialTimeout,DialUDP,DialUnix,Dialer.*,FileConn,FileListener,FilePacketConn,InterfaceAddrs,InterfaceByIndex,InterfaceByName," +
			"Interfaces,Interface.Addrs,Interface.MulticastAddrs,Listen,ListenConfig.*,ListenIP,ListenMulticastUDP,ListenPacket,ListenTCP,ListenUDP,ListenUnix," +
			"ListenUnixgram,LookupAddr,LookupCNAME,LookupHost,LookupIP,LookupMX,LookupNS,LookupPort,LookupSRV,LookupTXT,Resolver.*,ResolveIPAddr,ResolveTCPAddr," +
			"ResolveUDPAddr,ResolveUnixAddr,IPConn.*,TCPConn.*,TCPListener.*,UDPConn.*,UnixConn.*,UnixListener.*,Conn.*,Listener.*,PacketConn.*,Buffers.WriteTo," +
			"Buffers.Read none=Conn.LocalAddr,Conn.RemoteAddr,Listener.Addr,PacketConn.LocalAddr"
	case "net/http":
		return "io=Get,Head,Post,PostForm,ListenAndServe,ListenAndServeTLS,Serve,ServeTLS,ServeContent,ServeFile,ServeFileFS,Redirect,Error,NotFound,ReadRequest," +
			"ReadResponse,Client.*,Transport.*,Server.*,RoundTripper.RoundTrip,ResponseWriter.Write,ResponseWriter.WriteHeader,ResponseController.*,Request.ParseForm," +
			"Request.ParseMultipartForm,Request.FormFile,Request.FormValue,Request.PostFormValue,Request.Write,Request.WriteProxy,Response.Write,Flusher.Flush," +
			"Hijacker.Hijack,Pusher.Push,Handler.ServeHTTP,FileSystem.Open,Dir.Open none=Transport.Clone,Transport.RegisterProtocol,Server.RegisterOnShutdown," +
			"Server.SetKeepAlivesEnabled goroutine=ListenAndServe,ListenAndServeTLS,Serve,ServeTLS," +
			"Server.ListenAndServe,Server.ListenAndServeTLS,Server.Serve,Server.ServeTLS global=Handle,HandleFunc env=ProxyFromEnvironment"
	case "net/rpc":
		return "io=Dial,DialHTTP,DialHTTPPath,Accept,ServeConn,ServeCodec,ServeRequest,Client.*,Server.* goroutine=Server.Accept " +
			"global=Register,RegisterName,HandleHTTP"
	case "net/rpc/jsonrpc":
		return "io=Dial,ServeConn"
	case "net/smtp":
		return "io=Dial,SendMail,NewClient,Client.*"
	case "net/textproto":
		return "io=Dial"
	case "os":
		return "io=* env=Chdir,Clearenv,Environ,Executable,ExpandEnv,Getegid,Getenv,Geteuid,Getgid,Getgroups,Getpagesize,Getpid,Getppid,Getuid,Getwd,Hostname," +
			"LookupEnv,Setenv,TempDir,Unsetenv,UserCacheDir,UserConfigDir,UserHomeDir rand=CreateTemp,MkdirTemp none=DirFS,Exit,Expand,IsExist,IsNotExist," +
			"IsPathSeparator,IsPermission,IsTimeout,NewFile,NewSyscallError,SameFile,Clearenv,Environ,Executable,ExpandEnv,Getegid,Getenv,Geteuid,Getgid,Getgroups," +
			"Getpagesize,Getpid,Getppid,Getuid,Getwd,Hostname,LookupEnv,Setenv,TempDir,Unsetenv,UserCacheDir,UserConfigDir,UserHomeDir,File.Fd,File.Name," +
			"FileMode.*,LinkError.*,PathError.*,SyscallError.*,ProcessState.*,Signal.*,Root.Name,Root.FS"
	case "os/exec":
		return "io=Cmd.CombinedOutput,Cmd.Output,Cmd.Run,Cmd.Start,Cmd.Wait,Cmd.StderrPipe,Cmd.StdinPipe,Cmd.StdoutPipe,LookPath,Command,CommandContext " +
			"env=LookPath,Cmd.Environ"
	case "os/signal":
		return "global=Notify,Ignore,Reset,Stop,NotifyContext channel=Notify,Stop"
	case "os/user":
		return "io=* env=Current"
	case "path/filepath":
		return "io=EvalSymlinks,Glob,Walk,WalkDir env=Abs"
	case "plugin":
		return "io=*"
	case "reflect":
		return "reflect=Append,AppendSlice,Copy,MakeFunc,Swapper,Select,Value.Call,Value.CallSlice,Value.Clear,Value.Close,Value.Grow,Value.Recv,Value.Send,Value.Set," +
			"Value.SetBool,Value.SetBytes,Value.SetCap,Value.SetComplex,Value.SetFloat,Value.SetInt,Value.SetIterKey,Value.SetIterValue,Value.SetLen," +
			"Value.SetMapIndex,Value.SetPointer,Value.SetString,Value.SetUint,Value.SetZero,Value.TryRecv,Value.TrySend,Value.Interface,Value.Method," +
			"Value.MethodByName channel=Select,Value.Close,Value.Recv,Value.Send,Value.TryRecv,Value.TrySend unsafe=Value.UnsafeAddr,Value.UnsafePointer,NewAt"
	case "runtime":
		return "global=GC,GOMAXPROCS,SetBlockProfileRate,SetCPUProfileRate,SetCgoTraceback,SetDefaultGOMAXPROCS,SetFinalizer,SetMutexProfileFraction,StartTrace," +
			"StopTrace,LockOSThread,UnlockOSThread env=GOMAXPROCS,GOROOT,NumCPU,NumGoroutine,NumCgoCall"
	case "runtime/debug":
		return "global=FreeOSMemory,SetCrashOutput,SetGCPercent,SetMaxStack,SetMaxThreads,SetMemoryLimit,SetPanicOnFault,SetTraceback print=PrintStack io=WriteHeapDump"
	case "runtime/pprof":
		return "global=StartCPUProfile,StopCPUProfile,SetGoroutineLabels,Do,NewProfile"
	case "runtime/trace":
		return "global=Start,Stop"
	case "sync":
		return "lock=* none=Pool.*,OnceFunc,OnceValue,OnceValues,NewCond,Mutex.Unlock,RWMutex.Unlock,RWMutex.RUnlock,RWMutex.RLocker goroutine=WaitGroup.Go"
	case "syscall":
		return "io=* env=Clearenv,Environ,Getenv,Getpid,Getppid,Getuid,Getwd,Setenv,Unsetenv clock=Gettimeofday,Time none=Clearenv,Environ,Getenv,Getpid,Getppid," +
			"Getuid,Getwd,Setenv,Unsetenv,Gettimeofday,Time,Errno.*,Signal.*,BytePtrFromString,ByteSliceFromString"
	case "testing":
		return "print=common.Error,common.Errorf,common.Fatal,common.Fatalf,common.Log,common.Logf,common.Skip,common.Skipf,common.Output,TB.Error,TB.Errorf," +
			"TB.Fatal,TB.Fatalf,TB.Log,TB.Logf,TB.Skip,TB.Skipf,TB.Output goroutine=T.Run,B.Run,B.RunParallel,F.Fuzz,Benchmark,RunTests,RunBenchmarks " +
			"lock=T.Parallel io=common.TempDir,TB.TempDir,common.Chdir,T.Chdir,TB.Chdir,common.ArtifactDir,TB.ArtifactDir env=common.Setenv,T.Setenv,TB.Setenv," +
			"Short,Verbose,CoverMode clock=B.Elapsed,B.StartTimer,B.StopTimer,B.ResetTimer,B.Loop,T.Deadline"
	case "time":
		return "clock=Now,Since,Until,Sleep,After,Tick,NewTimer,NewTicker,AfterFunc,Timer.Reset,Timer.Stop,Ticker.Reset,Ticker.Stop goroutine=AfterFunc io=LoadLocation"
	}
	return ""
}

// stdFlags are the effects of a function or method of the standard library on the outside world.
func stdFlags(fn *types.Func) []FlagKind {
	if fn.Pkg() == nil {
		return nil
	}
	list := stdEffects(fn.Pkg().Path())
	if list == "" {
		return nil
	}
	name, star := fn.Name(), "*"
	if recv := receiverName(fn); recv != "" {
		name, star = recv+"."+name, recv+".*"
	}
	var exact, wide []FlagKind
	excepted := false
	for word := range strings.FieldsSeq(list) {
		effect, names, _ := strings.Cut(word, "=")
		for n := range strings.SplitSeq(names, ",") {
			hit := n == name
			if !hit && n != star && n != "*" {
				continue
			}
			switch kind, ok := flagNamed(effect); {
			case !ok: // none
				excepted = true
			case hit:
				exact = append(exact, kind)
			default:
				wide = append(wide, kind)
			}
		}
	}
	if excepted {
		return exact
	}
	return append(exact, wide...)
}

// flagNamed is the flag of a word: the words of [FlagKind.String].
func flagNamed(word string) (FlagKind, bool) {
	for k := Clock; k <= Unresolved; k++ {
		if k.String() == word {
			return k, true
		}
	}
	return 0, false
}

// receiverName is the name of a method's receiver type, "" for functions.
func receiverName(fn *types.Func) string {
	recv := fn.Signature().Recv()
	if recv == nil {
		return ""
	}
	t := types.Unalias(recv.Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}
