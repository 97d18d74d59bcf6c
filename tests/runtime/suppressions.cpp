// Some of StarPU's own policies forget the nodes of their empty queues when it shuts down.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:starpu_task_prio_list_add\n"; }
