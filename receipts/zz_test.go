package receipts_test
import ("testing";"syscall";"time";"slices";"github.com/GameplanePanel/rehearsal/receipts";"fmt")
func cpu() time.Duration { var r syscall.Rusage; syscall.Getrusage(0,&r); return time.Duration(r.Utime.Nano()) }
func TestZZ(t *testing.T){
 inputs := manyRuns(t, 10000)
 n:=0; for _,i:=range inputs { n+=len(i.Raw) }
 p := suitePolicy(); tr:=trust(t,p)
 for range 3 { c:=cpu(); w:=time.Now(); d:=receipts.Decide(p,tr,receipts.Question{Candidate: candidateOf(receipts.ScenarioCompatibleRollback)},slices.Values(inputs),now()); fmt.Println(d.Promote, "cpu",cpu()-c,"wall",time.Since(w), len(inputs), n/len(inputs)) }
}
