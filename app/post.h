// Letters between the network and the engine, which are two threads: neither ever waits for the
// other, and what piles up is bounded.
//
// Each client has a box with two lists. The network puts in what comes and takes out what is to be
// sent; the engine the other way round. A box that the engine has not emptied refuses letters; one
// that the network has not emptied gets no new frames.
#ifndef SN_APP_POST_H
#define SN_APP_POST_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum {
    SN_POST_BOXES = 50,
    SN_POST_IN_LETTERS = 4096,
    SN_POST_IN_BYTES = 16 << 20,
    SN_POST_OUT_BYTES = 64 << 10, // beyond this a box is full; one letter may be larger
    SN_LETTER_HEAD = 32,          // bytes before the data, for the network's own head
};

typedef struct sn_letter {
    struct sn_letter *next;
    size_t size;
    bool binary;
    unsigned char bytes[]; // SN_LETTER_HEAD, then size
} sn_letter;

typedef struct sn_letter_list {
    sn_letter *first, *last;
    int count;
    size_t bytes;
} sn_letter_list;

typedef struct sn_box {
    bool used;    // from when a client comes until both sides are done with it
    bool left;    // the network has closed the connection
    bool dropped; // the engine wants it closed
    int client;   // the live world's number; 0: not joined yet
    sn_letter_list in, out;
} sn_box;

typedef struct sn_post {
    pthread_mutex_t lock;
    pthread_cond_t come; // something for the engine
    bool ends;
    sn_box boxes[SN_POST_BOXES];
} sn_post;

bool sn_post_start(sn_post *post);
void sn_post_end(sn_post *post); // frees everything; no thread may use it any more

sn_letter *sn_letter_make(const void *data, size_t size, bool binary); // NULL: out of memory
void sn_letters_free(sn_letter_list *list);
void sn_letters_add(sn_letter_list *list, sn_letter *letter);
sn_letter *sn_letters_take(sn_letter_list *list); // NULL: empty

// ---- the network's side ----
int sn_post_open(sn_post *post);                             // a box; -1: all are used
void sn_post_close(sn_post *post, int box);                  // the connection is gone
bool sn_post_put(sn_post *post, int box, sn_letter *letter); // false, and freed: the box is full
sn_letter *sn_post_next(sn_post *post, int box, bool *more);
bool sn_post_is_dropped(sn_post *post, int box);
bool sn_post_is_waiting(sn_post *post, int box); // there is something to send
void sn_post_stop(sn_post *post);

#endif
